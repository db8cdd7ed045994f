DELETE FROM t WHERE n = 1;
INSERT INTO t VALUES ('a', 'a', 'x,y', 'p', 5, 'k1');
DELETE FROM t WHERE n = 11
