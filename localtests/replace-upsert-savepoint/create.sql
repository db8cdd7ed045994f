CREATE TABLE t (id int PRIMARY KEY, a int, b int, UNIQUE KEY (a), UNIQUE KEY (b));
INSERT INTO t VALUES (1, 1, 1), (2, 2, 2), (3, 3, 3), (4, 4, 4);
