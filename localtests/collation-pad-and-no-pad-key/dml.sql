UPDATE t SET k = 'a' WHERE n = 1;
UPDATE t SET k = 'a   ', b = 'a ' WHERE n = 1;
UPDATE t SET k = ' ' WHERE n = 4;
UPDATE t SET k = '' WHERE n = 4;
UPDATE t SET b = 'C' WHERE n = 3;
UPDATE t SET b = 'c' WHERE n = 3;
