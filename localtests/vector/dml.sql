REPLACE INTO t SELECT id + 10, v, w FROM t WHERE id <= 3;
UPDATE t SET v = TO_VECTOR('[9,8,7]') WHERE id = 1;
