UPDATE t SET n = n + 1 WHERE g = '縗';
REPLACE INTO t VALUES ('功', 'ソ表', '😀😀', 20), ('x', 'y', 'z', 21);
DELETE FROM t WHERE g = '功';
UPDATE t SET u = '😀' WHERE g = 'x';
DELETE FROM t WHERE g = 'x';
