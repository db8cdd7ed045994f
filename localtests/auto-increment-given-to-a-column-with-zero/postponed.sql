UPDATE t SET v = 3 WHERE id = 0
