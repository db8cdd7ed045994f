UPDATE t SET n = n + 1;
REPLACE INTO t VALUES ('x', 'y', 1);
DELETE FROM t WHERE k = 'x';
