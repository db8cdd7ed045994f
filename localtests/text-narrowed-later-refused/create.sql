CREATE TABLE t (id int PRIMARY KEY, v mediumtext);
INSERT INTO t VALUES (1, 'abc'), (2, REPEAT('x', 65535));
