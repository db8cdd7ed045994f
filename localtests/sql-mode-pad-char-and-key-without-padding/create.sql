CREATE TABLE t (k char(5) PRIMARY KEY, c char(10), n int);
INSERT INTO t VALUES ('a', 'x', 1), ('b', 'y', 1), ('d', 'z', 1), ('', '', 1), ('e', NULL, 1);
