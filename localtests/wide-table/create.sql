CREATE TABLE t (id int PRIMARY KEY, c01 int, c02 int, c03 int, c04 int, c05 int, c06 int, c07 int, c08 int, c09 int, c10 int, c11 int, c12 int, c13 int, c14 int, c15 int, c16 int, c17 int, c18 int, c19 int, c20 int,
  v01 varchar(20), v02 varchar(20), v03 varchar(20), v04 varchar(20), v05 varchar(20), v06 varchar(20), v07 varchar(20), v08 varchar(20), v09 varchar(20), v10 varchar(20));
INSERT INTO t (id, c01, c09, c20, v01, v10) WITH RECURSIVE n AS (SELECT 0 AS i UNION ALL SELECT i + 1 FROM n WHERE i < 45) SELECT i, NULL, i, -i, NULL, CONCAT('v', i) FROM n;
