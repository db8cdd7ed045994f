REPLACE INTO t SELECT id + 10, f, g, h, i, j FROM t WHERE id <= 7;
UPDATE t SET g = 1.1, f = 1.1 WHERE id = 4;
