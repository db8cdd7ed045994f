UPDATE t SET v = v + 100 WHERE k IN ('ab', 0x0000);
DELETE FROM t WHERE k = 0x6100;
INSERT INTO t VALUES (0x6100, 3);
UPDATE t SET k = 'zy' WHERE k = 'zz';
UPDATE t SET k = 'zz' WHERE k = 'zy';
