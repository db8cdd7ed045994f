REPLACE INTO t VALUES (4, 'ß€ü', '誠縗');
UPDATE t SET v = '€' WHERE id = 2;
