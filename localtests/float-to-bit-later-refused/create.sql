CREATE TABLE t (id int PRIMARY KEY, a double);
INSERT INTO t VALUES (1, 5.5), (2, 2.7);
