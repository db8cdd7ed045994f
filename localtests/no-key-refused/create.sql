CREATE TABLE t (a int, b int, KEY (a));
INSERT INTO t VALUES (1, 1);
