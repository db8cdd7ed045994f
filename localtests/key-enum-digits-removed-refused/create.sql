CREATE TABLE t (k enum('1','2') PRIMARY KEY, v int);
INSERT INTO t VALUES ('2', 1);
