UPDATE t SET v = v + 1 WHERE id % 3 = 0;
