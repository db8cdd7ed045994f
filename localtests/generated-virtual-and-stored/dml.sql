REPLACE INTO t (id, a, b) VALUES (4, 5, 6), (5, NULL, NULL);
UPDATE t SET a = a + 1 WHERE id = 1;
DELETE FROM t WHERE id = 5;
