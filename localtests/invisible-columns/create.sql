CREATE TABLE t (id int PRIMARY KEY, a int, h varchar(20) INVISIBLE, z int DEFAULT 3 INVISIBLE);
INSERT INTO t (id, a, h, z) VALUES (1, 1, 'hidden', 1), (2, 2, NULL, 2);
INSERT INTO t VALUES (3, 3);
