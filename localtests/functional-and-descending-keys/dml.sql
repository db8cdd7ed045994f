UPDATE t SET a = (a + 4) % 9 WHERE c % 4 = 1;
REPLACE INTO t VALUES (100, 'new', 1), (-1, 'low', 2);
DELETE FROM t WHERE a = 100;
