CREATE TABLE t (
  id int PRIMARY KEY, a tinyint, b tinyint unsigned, c smallint unsigned, d mediumint, e mediumint unsigned, f int unsigned, g bigint unsigned
);
INSERT INTO t VALUES (1, -128, 255, 65535, -8388608, 16777215, 4294967295, 18446744073709551615), (2, 1, 2, 3, 4, 5, 6, 7);
