REPLACE INTO t (id, a, b) VALUES (4, 5, 6);
UPDATE t SET a = a + 1 WHERE id = 1;
