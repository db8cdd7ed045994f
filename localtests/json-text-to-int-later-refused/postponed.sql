UPDATE t SET v = '"12"' WHERE id = 2;
