REPLACE INTO t SELECT id + 10, a, b, c, d, e, f, g, h FROM t WHERE id <= 3;
UPDATE t SET a = 'q''"\\', g = 0x5C275C WHERE id = 2;
