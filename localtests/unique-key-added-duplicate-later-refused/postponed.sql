UPDATE t SET a = 1 WHERE id = 3;
