UPDATE t SET v = v + 1;
UPDATE t SET b = '2020-04-01' WHERE id = 2;
