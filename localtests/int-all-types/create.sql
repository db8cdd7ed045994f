CREATE TABLE t (
  id int PRIMARY KEY,
  t1 tinyint, t2 tinyint unsigned, s1 smallint, s2 smallint unsigned, m1 mediumint, m2 mediumint unsigned,
  i1 int, i2 int unsigned, b1 bigint, b2 bigint unsigned
);
INSERT INTO t VALUES
  (1, -128, 0, -32768, 0, -8388608, 0, -2147483648, 0, -9223372036854775808, 0),
  (2, 127, 255, 32767, 65535, 8388607, 16777215, 2147483647, 4294967295, 9223372036854775807, 18446744073709551615),
  (3, 0, 128, 0, 32768, 0, 8388608, 0, 2147483648, 0, 9223372036854775808),
  (4, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
  (5, -1, 1, -1, 1, -1, 1, -1, 1, -1, 1);
