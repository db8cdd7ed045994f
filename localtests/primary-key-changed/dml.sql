REPLACE INTO t VALUES (100, 'new', 1);
UPDATE t SET code = 'newer' WHERE id = 100;
UPDATE t SET id = 101 WHERE id = 100;
DELETE FROM t WHERE id = 101;
UPDATE t SET v = v + 1 WHERE id % 5 = 0;
