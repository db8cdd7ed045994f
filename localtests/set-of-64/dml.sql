REPLACE INTO t SELECT id + 10, s FROM t WHERE id <= 6;
UPDATE t SET s = 'm62,m63' WHERE id = 2;
