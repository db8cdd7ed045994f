REPLACE INTO t (id, a) VALUES (4, 5);
UPDATE t SET a = a + 1 WHERE id = 1;
