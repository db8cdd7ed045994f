UPDATE t SET v = v + 1 WHERE k IN ('ab', 0x0000);
DELETE FROM t WHERE k = 0x6100;
INSERT INTO t VALUES (3, 0x6100, 'x', 3);
UPDATE t SET k = 'ef' WHERE k = 'ab';
UPDATE t SET k = 'ab', e = 'x' WHERE k = 'ef';
UPDATE t SET e = 'y' WHERE k = 'ab';
