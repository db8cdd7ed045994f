CREATE TABLE t (k varchar(10) CHARACTER SET latin1 NOT NULL PRIMARY KEY, v int);
INSERT INTO t VALUES ('ab  ', 1), ('cd ', 2), ('ef', 3), ('gh   ', 4), ('', 5), ('é ', 6);
