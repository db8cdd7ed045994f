REPLACE INTO t SELECT id + 20, e FROM t WHERE id <= 15;
UPDATE t SET e = 'a,b' WHERE id = 3;
