CREATE TABLE t (k varchar(20) COLLATE utf8mb4_bin PRIMARY KEY, n int);
INSERT INTO t VALUES ('a', 1), ('b', 3);
