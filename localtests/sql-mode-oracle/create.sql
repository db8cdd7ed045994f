CREATE TABLE t (id int PRIMARY KEY, v int, s varchar(20), d datetime, n decimal(10,2), b blob, CONSTRAINT named CHECK (v > -5));
INSERT INTO t VALUES (1, 1, '', '2024-01-01 10:00:00', 1.5, 0x00), (2, 2, 'a\\b"c', NULL, NULL, '');
