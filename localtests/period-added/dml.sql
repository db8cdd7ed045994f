UPDATE t SET v = v + 1;
