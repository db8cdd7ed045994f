UPDATE t SET v = 'c' WHERE id = 1;
UPDATE t SET v = 'A' WHERE id = 2;
UPDATE t SET v = 'b' WHERE id = 1;
