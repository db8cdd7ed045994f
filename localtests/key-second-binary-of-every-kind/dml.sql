DELETE FROM t WHERE a = 'ab';
INSERT INTO t VALUES (3, 'ab', 'ab', 'efgh', 'ab');
UPDATE t SET a = 'zz', b = 'zz', d = 'zz' WHERE id = 4;
UPDATE t SET a = 'abc', b = 'b', d = 'abc' WHERE id = 4;
