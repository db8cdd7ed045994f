CREATE TABLE t (ID int PRIMARY KEY, `Name` varchar(20), UPPER_COL int);
INSERT INTO t VALUES (1, 'a', 1), (2, 'b', 2);
