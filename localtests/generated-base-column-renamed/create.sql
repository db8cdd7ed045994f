CREATE TABLE t (id int PRIMARY KEY, a int, v int AS (a + 1) STORED);
INSERT INTO t (id, a) VALUES (1, 1), (2, 3), (3, NULL);
