REPLACE INTO t VALUES (4, 'ö', 'é', '中'), (5, '€', 'ü', '文');
UPDATE t SET s = 'é', e = 'ö' WHERE id = 1;
