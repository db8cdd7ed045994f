UPDATE t SET v = v + 100 WHERE k IN ('a', 'bĠ');
DELETE FROM t WHERE k = 'c';
INSERT INTO t VALUES ('c  ', 3);
UPDATE t SET k = 'd ' WHERE k = 'd';
UPDATE t SET k = 'dd ' WHERE k = 'd';
UPDATE t SET k = 'd' WHERE k = 'dd';
