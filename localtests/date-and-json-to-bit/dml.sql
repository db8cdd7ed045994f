REPLACE INTO t SELECT id + 10, d, e, s, m, c, j FROM t WHERE id <= 2;
