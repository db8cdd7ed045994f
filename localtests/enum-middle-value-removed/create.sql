CREATE TABLE t (id int PRIMARY KEY, e enum('a','b','c','d') NOT NULL);
INSERT INTO t VALUES (1, 'a'), (2, 'c'), (3, 'd');
