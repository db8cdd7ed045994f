UPDATE t SET v = 'abcdef' WHERE id = 2;
