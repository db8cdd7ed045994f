UPDATE t SET v = v + 1;
DELETE FROM t WHERE c = '\'q';
INSERT INTO t VALUES ('\'q', 7);
