DELETE FROM t WHERE k IN (0x0100, 'd1');
UPDATE t SET k = 'd3' WHERE k = 'd2';
