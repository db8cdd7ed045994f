UPDATE t SET v = CONCAT('u', id) WHERE id % 5 = 1;
REPLACE INTO t VALUES (100, 'new');
