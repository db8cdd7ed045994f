REPLACE INTO t SELECT id + 10, a, b, c, d, e, f FROM t WHERE id <= 3;
UPDATE t SET a = 'é\\', b = '縗', c = 'ソ', d = 'é', e = '😀' WHERE id = 2;
