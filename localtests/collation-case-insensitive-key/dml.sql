UPDATE t SET k = UPPER(k) WHERE n % 2 = 1;
UPDATE t SET k = LOWER(k) WHERE n % 3 = 1;
DELETE FROM t WHERE n >= 50;
INSERT INTO t VALUES ('Straße', 50), ('STRAẞE2', 51);
UPDATE t SET k = 'STRASSE' WHERE k = 'Straße';
UPDATE t SET k = 'stràße2' WHERE n = 51;
