CREATE TABLE t (k char(5) NOT NULL PRIMARY KEY, v int) CHARACTER SET latin1;
INSERT INTO t VALUES ('a', 1), ('b', 2), ('', 3)
