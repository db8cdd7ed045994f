CREATE TABLE t (id int NOT NULL, part int NOT NULL, v int, PRIMARY KEY (id, part));
INSERT INTO t VALUES (1, 1, 1), (1, 2, 2), (2, 1, 3);
