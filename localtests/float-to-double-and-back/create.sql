CREATE TABLE t (id int PRIMARY KEY, f float, g double, h float, i double);
INSERT INTO t VALUES (1, 0.1, 0.1, 1.1, 1.1), (2, 3.4e38, 3.4e38, 123456.789, 123456.789), (3, NULL, NULL, NULL, NULL);
