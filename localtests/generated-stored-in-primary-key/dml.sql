UPDATE t SET a = (a + 1) % 7 WHERE b % 3 = 0;
REPLACE INTO t (a, b, n) VALUES (100, 100, 1);
DELETE FROM t WHERE a = 100;
