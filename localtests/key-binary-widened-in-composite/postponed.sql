DELETE FROM t WHERE k = 'cd' AND e = 'x';
UPDATE t SET e = 'x' WHERE k = 'cd';
