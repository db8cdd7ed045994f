CREATE TABLE t (id int PRIMARY KEY, a int, b varchar(20), c date, d varchar(20));
INSERT INTO t WITH RECURSIVE n AS (SELECT 0 AS i UNION ALL SELECT i + 1 FROM n WHERE i < 25) SELECT i, i, CONCAT('b', i), '2024-01-01', CONCAT('d', i) FROM n;
