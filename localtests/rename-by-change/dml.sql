REPLACE INTO t VALUES (100, 'new', 1);
UPDATE t SET name = CONCAT('u', id) WHERE id % 4 = 1;
