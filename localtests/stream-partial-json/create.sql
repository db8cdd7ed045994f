CREATE TABLE t (id int PRIMARY KEY, j json, n int);
INSERT INTO t WITH RECURSIVE n AS (SELECT 0 AS i UNION ALL SELECT i + 1 FROM n WHERE i < 25) SELECT i, JSON_OBJECT('name', CONCAT('n', i), 'n', i, 'long', REPEAT('x', 100)), i FROM n;
