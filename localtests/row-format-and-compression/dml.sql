UPDATE t SET v = CONCAT(id, 'u') WHERE id % 5 = 1;
