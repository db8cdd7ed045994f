CREATE TABLE t (id int PRIMARY KEY, a bit(16), b bit(16), c bit(64), d bit(9), e bit(16), f bit(16));
INSERT INTO t VALUES (1, 16706, 16706, 18446744073709551615, 255, 16706, 255), (2, 0, 0, 0, 0, 0, 0), (3, NULL, NULL, NULL, NULL, NULL, NULL);
