CREATE TABLE t (k binary(2) NOT NULL PRIMARY KEY, v int) CHARACTER SET utf8mb4;
INSERT INTO t VALUES ('a', 1), ('aa', 2), ('b', 3), (x'6300', 4)
