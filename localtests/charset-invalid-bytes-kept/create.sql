CREATE TABLE t (id int PRIMARY KEY, l varchar(20) CHARACTER SET latin1, b varbinary(20), n int);
INSERT INTO t VALUES (1, _latin1 0x8081FF00, 0x8081FF00, 1), (2, _latin1 0x81, 0xC3, 2), (3, _latin1 0x8D8F909D, 0xF0, 3);
