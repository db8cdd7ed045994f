CREATE TABLE t (k int PRIMARY KEY, id int, v int, UNIQUE KEY id (id));
INSERT INTO t VALUES (1, NULL, 1), (2, 1, 2), (3, 2, 3);
