REPLACE INTO t SELECT id + 10, a, b, c, d, e, f FROM t WHERE id <= 4;
UPDATE t SET a = 'é', b = '😀', c = '😀', d = 'é', e = 'é', f = 'é' WHERE id = 2;
