CREATE TABLE t (k binary(4) PRIMARY KEY, v int);
INSERT INTO t VALUES ('a', 2), ('abcd', 3);
