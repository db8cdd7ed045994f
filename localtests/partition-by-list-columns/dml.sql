UPDATE t SET v = v + 1 WHERE id % 3 = 0;
UPDATE t SET r = 'west' WHERE id = 4 AND r = '';
UPDATE t SET r = '' WHERE id = 4 AND r = 'west';
