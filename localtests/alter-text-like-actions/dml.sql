REPLACE INTO t VALUES (4, 4, 'four');
UPDATE t SET a = a + 1 WHERE id < 3;
