CREATE TABLE t (id int, part int, v int, PRIMARY KEY (id, part), KEY (v));
INSERT INTO t WITH RECURSIVE n AS (SELECT 0 AS i UNION ALL SELECT i + 1 FROM n WHERE i < 35) SELECT i % 5, i, i FROM n;
