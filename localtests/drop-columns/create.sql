CREATE TABLE t (id int PRIMARY KEY, a int, b text, c varchar(10), d int);
INSERT INTO t WITH RECURSIVE n AS (SELECT 0 AS i UNION ALL SELECT i + 1 FROM n WHERE i < 25) SELECT i, i, 'text', CONCAT('c', i), i FROM n;
