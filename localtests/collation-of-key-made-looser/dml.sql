UPDATE t SET k = UPPER(k) WHERE n % 2 = 1;
UPDATE t SET k = LOWER(k) WHERE n % 3 = 1;
DELETE FROM t WHERE k = 'NEW';
INSERT INTO t VALUES ('new', 100);
UPDATE t SET k = 'New ' WHERE k = 'new';
UPDATE t SET k = 'NEW' WHERE k = 'new';
