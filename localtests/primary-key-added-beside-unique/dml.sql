UPDATE t SET v = v + 1 WHERE v % 5 = 0;
REPLACE INTO t VALUES ('new', 1);
