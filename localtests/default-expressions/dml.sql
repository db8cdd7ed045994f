REPLACE INTO t (id) VALUES (3);
UPDATE t SET a = a + 1;
