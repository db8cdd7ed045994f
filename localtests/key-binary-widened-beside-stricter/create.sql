CREATE TABLE t (k binary(2) PRIMARY KEY, v int);
INSERT INTO t VALUES (0x0000, 1), (0x0100, 2), (0x6100, 3), ('ab', 4), ('zz', 8), ('d1', 9), ('d2', 10);
