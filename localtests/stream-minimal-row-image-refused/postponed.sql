SET SESSION binlog_row_image = MINIMAL;
UPDATE t SET v = 5 WHERE id = 1;
INSERT INTO t (id) VALUES (3);
