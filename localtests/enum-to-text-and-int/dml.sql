REPLACE INTO t VALUES (5, '3', '5', 'y', 3), (6, 'ü€', '20', NULL, NULL);
UPDATE t SET e = 'two', f = '10', g = 'y', h = 3 WHERE id = 1;
