CREATE TABLE t (e enum('one','two','three','four') NOT NULL, n int NOT NULL, v int, PRIMARY KEY (e, n));
INSERT INTO t WITH RECURSIVE n AS (SELECT 0 AS i UNION ALL SELECT i + 1 FROM n WHERE i < 45) SELECT 1 + i % 4, i, i FROM n;
