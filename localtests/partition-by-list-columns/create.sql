CREATE TABLE t (r varchar(10) NOT NULL, id int NOT NULL, v int, PRIMARY KEY (r, id)) PARTITION BY LIST COLUMNS (r) (PARTITION a VALUES IN ('north', 'south'), PARTITION b VALUES IN ('east', 'west', ''));
INSERT INTO t WITH RECURSIVE n AS (SELECT 0 AS i UNION ALL SELECT i + 1 FROM n WHERE i < 45) SELECT ELT(1 + i % 5, 'north', 'south', 'east', 'west', ''), i, i FROM n;
