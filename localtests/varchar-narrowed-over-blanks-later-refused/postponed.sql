UPDATE t SET v = 'éb  ' WHERE id = 2;
