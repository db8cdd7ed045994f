DELETE FROM t WHERE id > 10;
INSERT INTO t VALUES (11, 'q', 'abcdex', 'zz'), (12, 'qq', 'abcdey', 'y');
UPDATE t SET c = 'z', a = 'qqq' WHERE id = 11;
UPDATE t SET c = NULL, b = 'abcdez' WHERE id = 12
