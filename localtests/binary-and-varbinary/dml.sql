REPLACE INTO t SELECT id + 10, a, b, c, d FROM t WHERE id <= 6;
UPDATE t SET a = 0x0000000001, b = 0x00 WHERE id = 4;
