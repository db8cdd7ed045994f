REPLACE INTO t VALUES (100, 5, 'new', 6);
UPDATE t SET a = a + 1, b = CONCAT('u', id) WHERE id % 4 = 1;
