INSERT INTO t VALUES (1, 'again');
UPDATE t SET a = a + 1 WHERE a % 5 = 0;
DELETE FROM t WHERE v = 'again' LIMIT 1;
