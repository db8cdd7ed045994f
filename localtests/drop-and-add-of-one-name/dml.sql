REPLACE INTO t VALUES (3, 30, 300);
UPDATE t SET a = a + 1, b = b + 1 WHERE id = 1;
