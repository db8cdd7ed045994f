CREATE TABLE t (id int PRIMARY KEY, a float zerofill, b double zerofill, c int(6) zerofill, d int(6) zerofill, e float);
INSERT INTO t VALUES (1, 1.5, 1.5, 70101, 101112, 101112.5), (2, NULL, NULL, NULL, NULL, NULL);
