UPDATE t SET v = '1e2' WHERE id = 2;
