CREATE TABLE t (k varchar(5) COLLATE utf8mb4_general_ci NOT NULL PRIMARY KEY, v int) CHARACTER SET utf8mb4;
INSERT INTO t VALUES ('z ', 1), ('aa ', 2), ('b', 3), ('c  ', 4)
