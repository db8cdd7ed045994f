CREATE TABLE t (`id?` int, `b % c` varchar(10), v int, PRIMARY KEY (`id?`, `b % c`));
INSERT INTO t WITH RECURSIVE n AS (SELECT 0 AS i UNION ALL SELECT i + 1 FROM n WHERE i < 35) SELECT i, CONCAT('?', i), i FROM n;
