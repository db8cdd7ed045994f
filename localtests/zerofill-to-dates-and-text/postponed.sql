INSERT INTO t SELECT id + 10, a, b, c, d, e FROM t;
