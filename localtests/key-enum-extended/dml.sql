UPDATE t SET v = v + 1 WHERE n % 3 = 0;
UPDATE t SET e = 'four' WHERE n = 4;
UPDATE t SET e = 'one' WHERE n = 4;
