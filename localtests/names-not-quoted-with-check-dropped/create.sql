CREATE TABLE t (id int PRIMARY KEY, v int, CONSTRAINT named CHECK (v > -5), CHECK (id + v > -100));
INSERT INTO t VALUES (1, 1), (2, 2);
