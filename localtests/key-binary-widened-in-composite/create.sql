CREATE TABLE t (id int NOT NULL, k binary(2), e enum('x','y') NOT NULL, v int, PRIMARY KEY (k, e, id));
INSERT INTO t VALUES (1, 0x0000, 'x', 1), (2, 0x0000, 'y', 2), (3, 0x6100, 'x', 3), (4, 'ab', 'y', 4), (5, 'cd', 'x', 5), (6, 'cd', 'y', 6);
