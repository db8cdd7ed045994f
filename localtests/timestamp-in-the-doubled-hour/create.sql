SET time_zone = '+00:00';
CREATE TABLE t (id int PRIMARY KEY, a timestamp NULL, b timestamp NULL, c timestamp NULL);
INSERT INTO t VALUES (1, '2023-10-29 00:30:00', '2023-10-29 00:30:00', '2023-10-29 00:30:00'), (2, '2023-10-29 01:30:00', '2023-10-29 01:30:00', '2023-10-29 01:30:00');
