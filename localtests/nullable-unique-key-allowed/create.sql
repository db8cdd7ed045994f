CREATE TABLE t (a int, b varchar(10), v int, UNIQUE KEY (a, b));
INSERT INTO t WITH RECURSIVE n AS (SELECT 0 AS i UNION ALL SELECT i + 1 FROM n WHERE i < 35) SELECT i % 4, CONCAT('b', i), i FROM n;
