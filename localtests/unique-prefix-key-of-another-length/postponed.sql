UPDATE t SET c = 'a' WHERE id = 3 AND FALSE;
UPDATE t SET a = CONCAT(a, '!')
