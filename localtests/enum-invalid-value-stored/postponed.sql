UPDATE t SET v = v + 10;
