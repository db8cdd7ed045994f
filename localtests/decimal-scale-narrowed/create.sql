CREATE TABLE t (id int PRIMARY KEY, a decimal(20,6), b decimal(20,6), c double);
INSERT INTO t VALUES (1, 1.234567, 1.5, 0.1), (2, -2.999999, -1.5, 1e15), (3, 0.0049999, 2.5, 2.5);
