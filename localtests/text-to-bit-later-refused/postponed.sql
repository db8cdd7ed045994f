UPDATE t SET a = '5.5' WHERE id = 2;
