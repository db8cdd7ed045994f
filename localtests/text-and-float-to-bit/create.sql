CREATE TABLE t (id int PRIMARY KEY, s varchar(20), c char(20), u varchar(20) CHARACTER SET ucs2, b varbinary(20), l text, d double, w double, f float);
INSERT INTO t VALUES (1, '5', '5', '5', '5', '70000', 5.5, -2.5, 2.7), (2, '12', '-1', ' 12', '12', '0', 6.5, 4503599627370497.5, 0.5), (3, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
