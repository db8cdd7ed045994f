CREATE TABLE t (k double(10,2) NOT NULL, l double(7,3) NOT NULL, v int, PRIMARY KEY (k, l));
INSERT INTO t VALUES (1.1, 1, 1), (2.55, 0.007, 2), (-99999999.99, 1.2, 3), (99999999.99, 1.2, 4), (0.01, 0.1, 5), (12345678.91, 0.3, 6);
