CREATE TABLE t (id int PRIMARY KEY, a int, v int, UNIQUE KEY (a));
INSERT INTO t VALUES (1, 1, 1), (2, NULL, 2), (3, NULL, 3);
