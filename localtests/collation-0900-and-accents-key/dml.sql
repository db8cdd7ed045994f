UPDATE t SET k = REPLACE(k, 'é', 'e') WHERE n % 2 = 1;
UPDATE t SET k = REPLACE(k, 'e', 'É') WHERE n % 3 = 1;
REPLACE INTO t VALUES ('a', 50), ('a ', 51), ('a  ', 52);
DELETE FROM t WHERE k = 'A ';
UPDATE t SET k = 'Á' WHERE k = 'a';
