CREATE TABLE t (id int PRIMARY KEY, a tinyint, b bigint unsigned, c decimal(10,2), d double, e float, f year, g enum('1','[2]')) CHARACTER SET utf8mb4;
INSERT INTO t VALUES (1, -5, 18446744073709551615, 1.50, 1e30, 0.1, 1999, '[2]'), (2, NULL, NULL, NULL, NULL, NULL, NULL, NULL)
