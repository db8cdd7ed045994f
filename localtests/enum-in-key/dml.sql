UPDATE t SET v = CONCAT(v, '!') WHERE n % 5 = 0 AND CHAR_LENGTH(v) < 10;
DELETE FROM t WHERE n = 3;
INSERT INTO t VALUES ('z', 3, 'back');
UPDATE t SET e = 'a' WHERE e = 'z' AND n = 3;
REPLACE INTO t VALUES ('m', 100, 'x');
DELETE FROM t WHERE e = 'm' AND n = 100;
