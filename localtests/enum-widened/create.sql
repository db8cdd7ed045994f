CREATE TABLE t (id int PRIMARY KEY, e enum('a','b') NOT NULL DEFAULT 'b');
INSERT INTO t VALUES (1, 'a'), (2, 'b');
