CREATE TABLE t (a int, v int, UNIQUE KEY (a));
INSERT INTO t VALUES (1, 1), (NULL, 2);
