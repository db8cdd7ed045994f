CREATE TABLE t (id int PRIMARY KEY, e enum('a','b','c') NOT NULL);
INSERT INTO t VALUES (1, 'a'), (2, 'b');
