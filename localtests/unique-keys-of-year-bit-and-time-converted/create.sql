CREATE TABLE t (id int PRIMARY KEY, y year, b bit(9), tm time(3), d date, n tinyint, UNIQUE KEY (y), UNIQUE KEY (b), UNIQUE KEY (tm), UNIQUE KEY (d), UNIQUE KEY (n));
INSERT INTO t VALUES (1, 2024, b'1', '10:00:00.001', '2024-01-01', 1), (2, 1999, b'111111111', '-10:00:00.5', '2024-02-29', -1), (3, NULL, NULL, NULL, NULL, NULL)
