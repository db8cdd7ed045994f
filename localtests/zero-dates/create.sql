CREATE TABLE t (id int PRIMARY KEY, d date NOT NULL, e datetime(2), f timestamp NULL, v int);
INSERT INTO t VALUES (1, '0000-00-00', '0000-00-00 00:00:00', '0000-00-00 00:00:00', 1), (2, '2024-00-00', '2024-05-00 10:00:00', NULL, 2), (3, '2024-01-01', '2024-01-01', '2024-01-01', 3);
