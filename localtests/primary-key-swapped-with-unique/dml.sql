UPDATE t SET id = 500 WHERE id = 3;
UPDATE t SET id = 3, code = 500 WHERE id = 500;
UPDATE t SET code = 997 WHERE id = 3;
