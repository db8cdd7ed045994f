CREATE TABLE t (k varchar(8) CHARACTER SET latin1 PRIMARY KEY, v int);
INSERT INTO t VALUES ('abc   ', 1), ('abcd  ', 2), ('e ', 3), ('f     ', 4), ('ghij ', 5), ('k    ', 6);
