CREATE TABLE t (id int PRIMARY KEY, e enum('a','b','c') NOT NULL, f enum('x','y') NULL, KEY (e));
INSERT INTO t VALUES (1, 'a', 'x'), (2, 'b', 'y'), (3, 'c', NULL), (4, 'a', 'y');
