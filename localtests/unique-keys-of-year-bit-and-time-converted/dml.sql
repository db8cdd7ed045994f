DELETE FROM t WHERE id > 10;
INSERT INTO t VALUES (11, 2001, b'10', '838:59:59', '2000-01-01', 11), (12, 2002, b'100', '00:00:00', '1000-01-01', 12);
UPDATE t SET y = 2003, b = b'11', tm = '11:11:11.11', d = '2001-01-01' WHERE id = 11;
UPDATE t SET y = 2001, b = b'10', tm = '838:59:59', d = '2000-01-01' WHERE id = 12
