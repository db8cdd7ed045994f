CREATE TABLE t (id int PRIMARY KEY, a bit(8), b bit(16), c bigint unsigned, d bit(64));
INSERT INTO t VALUES (1, 65, 16706, 255, 18446744073709551615), (2, 0, 0, 0, 0), (3, NULL, NULL, NULL, NULL);
