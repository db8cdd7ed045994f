CREATE TABLE t (k varchar(10) PRIMARY KEY, v int);
INSERT INTO t VALUES ('a', 1), ('b', 2), ('c', 3);
