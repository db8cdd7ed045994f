CREATE TABLE t (k set('a','b','c') NOT NULL PRIMARY KEY, v int) CHARACTER SET utf8mb4;
INSERT INTO t VALUES ('a', 1), ('a,b', 2), ('b,c', 3), ('a,b,c', 4)
