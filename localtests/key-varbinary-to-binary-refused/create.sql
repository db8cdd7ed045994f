CREATE TABLE t (k varbinary(4) PRIMARY KEY, v int);
INSERT INTO t VALUES ('', 1), ('a', 2), ('ab', 3);
