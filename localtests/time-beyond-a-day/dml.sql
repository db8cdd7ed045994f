REPLACE INTO t SELECT id + 10, a, b, c FROM t WHERE id <= 6;
UPDATE t SET c = '-00:59:59.999999', b = '-838:59:59', a = '-00:00:59' WHERE id = 5;
