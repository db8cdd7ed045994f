CREATE TABLE t (id int PRIMARY KEY, a int, `b\` int);
INSERT INTO t VALUES (1, 1, 7), (2, 2, 8);
