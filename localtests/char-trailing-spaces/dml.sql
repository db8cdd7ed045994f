REPLACE INTO t SELECT id + 10, a, b, c, d, e FROM t WHERE id <= 4;
UPDATE t SET a = 'x  ', b = 'x  ', c = 'x  ' WHERE id = 4;
