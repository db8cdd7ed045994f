REPLACE INTO t (id, a, p) VALUES (4, 5, 1);
UPDATE t SET a = a + 1 WHERE id = 1;
