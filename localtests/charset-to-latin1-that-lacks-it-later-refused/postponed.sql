UPDATE t SET a = '中' WHERE id = 2;
