REPLACE INTO t SELECT id + 10, d, e, f FROM t WHERE id <= 3;
