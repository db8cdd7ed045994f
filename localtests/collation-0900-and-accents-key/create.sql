CREATE TABLE t (k varchar(20) COLLATE utf8mb4_0900_ai_ci PRIMARY KEY, n int);
INSERT INTO t WITH RECURSIVE n AS (SELECT 0 AS i UNION ALL SELECT i + 1 FROM n WHERE i < 40) SELECT CONCAT(IF(i % 2, 'é', 'E'), i, IF(i % 5, '', ' ')), i FROM n;
