CREATE TABLE t (e enum('z','m','a') NOT NULL, n int NOT NULL, v varchar(10), PRIMARY KEY (e, n));
INSERT INTO t WITH RECURSIVE n AS (SELECT 0 AS i UNION ALL SELECT i + 1 FROM n WHERE i < 60) SELECT 1 + i % 3, i, CONCAT('v', i) FROM n;
