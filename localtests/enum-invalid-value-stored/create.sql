CREATE TABLE t (id int PRIMARY KEY, e enum('a','b') NOT NULL, v int);
INSERT INTO t VALUES (1, 'a', 1), (2, 'nothing', 2), (3, '', 3);
