UPDATE t SET a = a + 1 WHERE id = 3;
