CREATE TABLE t (id int PRIMARY KEY, a timestamp NULL, b timestamp(3) NULL, c timestamp NULL, d timestamp NULL, e datetime, f date);
INSERT INTO t VALUES (1, '2024-01-01 05:00:00', '2024-01-01 05:00:00.123', '2024-01-01 05:00:00', '2024-01-01 05:00:00', '2024-01-01 05:00:00', '2024-01-01'), (2, NULL, NULL, NULL, NULL, NULL, NULL);
