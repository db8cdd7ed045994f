CREATE TABLE t (k char(4) CHARACTER SET latin1 PRIMARY KEY, v int);
INSERT INTO t VALUES ('a', 2), ('abcd', 3);
