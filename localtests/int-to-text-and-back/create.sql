CREATE TABLE t (id int PRIMARY KEY, a int, b bigint unsigned, c varchar(30), d varchar(30), z int(5) unsigned zerofill);
INSERT INTO t VALUES (1, -7, 18446744073709551615, '-42', '9223372036854775807', 42), (2, 0, 0, '0', '0', 0), (3, NULL, NULL, NULL, NULL, NULL);
