REPLACE INTO t SELECT id + 10, b, a FROM t WHERE id <= 3;
UPDATE t SET a = '縗', b = '誠' WHERE id = 2;
