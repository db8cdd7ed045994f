CREATE TABLE t (
  a varchar(10) CHARACTER SET latin1 NOT NULL, b decimal(20,5) NOT NULL, c datetime(3) NOT NULL, d varbinary(8) NOT NULL, e bigint unsigned NOT NULL, f tinyint NOT NULL, v int,
  PRIMARY KEY (a, b, c, d, e, f)
);
INSERT INTO t WITH RECURSIVE n AS (SELECT 0 AS i UNION ALL SELECT i + 1 FROM n WHERE i < 64)
  SELECT CONCAT('ü', i % 2), (i % 4) / 3 - 1, '2024-01-01 00:00:00.123' + INTERVAL (i % 3) SECOND, UNHEX(LPAD(HEX(i % 5 * 60), 2, '0')), 18446744073709551615 - i % 2, i - 32, i FROM n;
