CREATE TABLE t (id int PRIMARY KEY, a int, s int AS (a * 2) STORED, p int);
INSERT INTO t (id, a, p) VALUES (1, 1, 9), (2, 3, 9), (3, NULL, NULL);
