UPDATE t SET v = v + 1 WHERE v % 3 = 0;
DELETE FROM t WHERE k = '\'; DROP TABLE t; --';
INSERT INTO t VALUES ('\'; DROP TABLE t; --', 1);
