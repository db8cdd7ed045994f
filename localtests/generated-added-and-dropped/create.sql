CREATE TABLE t (id int PRIMARY KEY, a int, b int, v int AS (a + b) VIRTUAL, s int AS (a * b) STORED, w int AS (a - b) VIRTUAL);
INSERT INTO t (id, a, b) VALUES (1, 1, 2), (2, 3, 4), (3, NULL, 1);
