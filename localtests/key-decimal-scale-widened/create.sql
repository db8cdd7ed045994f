CREATE TABLE t (k decimal(7,2) PRIMARY KEY, v int);
INSERT INTO t VALUES (0, 1), (-1.10, 2), (1.1, 3), (99999.99, 4), (0.01, 5), (7, 6);
