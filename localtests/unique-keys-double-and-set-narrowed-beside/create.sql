CREATE TABLE t (id int PRIMARY KEY, d double, s set('a','b'), f float, b binary(2), dt datetime(6), UNIQUE KEY (d), UNIQUE KEY (s), UNIQUE KEY (f), UNIQUE KEY (b), UNIQUE KEY (dt)) CHARACTER SET utf8mb4;
INSERT INTO t VALUES (1, 1.251, 'a', 1.5, 'a', '2024-01-01 00:00:00.1'), (2, 2.5, 'b', 2.5, x'6161', '2024-01-01 00:00:01.1'), (3, 3.5, 'a,b', 3.5, 'c', '2024-01-01 00:00:03')
