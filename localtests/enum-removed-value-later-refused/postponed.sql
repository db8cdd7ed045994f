UPDATE t SET e = 'b' WHERE id = 2;
