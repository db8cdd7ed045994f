DELETE FROM t WHERE id = 2;
INSERT INTO t VALUES (3, 'b', 2.004, 2.00002, 'a,b', 'y', 2.04, '2024-01-01 00:00:01.4', 'B', 'bbbb3', '10:00:00.224', '02');
DELETE FROM t WHERE id = 3;
INSERT INTO t VALUES (2, 'b  ', 2.001, 2.00001, 'a,b', 'y', 2.01, '2024-01-01 00:00:01.1', 'b', 'bbbb2', '10:00:00.222', '2');
UPDATE t SET id = 4 WHERE id = 1;
UPDATE t SET id = 1 WHERE id = 4;
