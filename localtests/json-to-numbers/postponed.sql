INSERT INTO t SELECT id + 10, a, b, c, d, e FROM t; UPDATE t SET a = '-0.6', b = '7' WHERE id = 1;
