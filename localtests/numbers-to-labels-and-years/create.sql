CREATE TABLE t (id int PRIMARY KEY, a decimal(5,1), b double, c float, d double, e enum('a','1','2024'), f decimal(5,1));
INSERT INTO t VALUES (1, 1.5, 1.5, 1.5, 1.5, '1', 1.5), (2, 2.5, 2.5, 2.5, 69.5, '2024', 2.5), (3, NULL, NULL, NULL, NULL, NULL, NULL);
