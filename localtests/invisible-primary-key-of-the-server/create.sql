SET SESSION sql_generate_invisible_primary_key = ON;
CREATE TABLE t (a int, v varchar(20));
INSERT INTO t WITH RECURSIVE n AS (SELECT 0 AS i UNION ALL SELECT i + 1 FROM n WHERE i < 35) SELECT i, CONCAT('v', i) FROM n;
