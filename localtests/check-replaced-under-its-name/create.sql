CREATE TABLE t (id int PRIMARY KEY, a int, CONSTRAINT positive CHECK (a > 0));
INSERT INTO t VALUES (1, 1), (2, 2);
