CREATE TABLE t (a int NOT NULL, b varchar(20) NOT NULL, c int, PRIMARY KEY (a DESC, b), KEY k (b DESC, c), KEY f ((a + c)));
INSERT INTO t WITH RECURSIVE n AS (SELECT 0 AS i UNION ALL SELECT i + 1 FROM n WHERE i < 55) SELECT i % 9, CONCAT('b', i), i FROM n;
