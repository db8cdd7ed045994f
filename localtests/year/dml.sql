REPLACE INTO t SELECT id + 10, y, z, w FROM t WHERE id <= 5;
UPDATE t SET y = 0, z = 2100, w = 1999 WHERE id = 5;
