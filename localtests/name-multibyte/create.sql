CREATE TABLE `täble_表_ж` (`ключ` int PRIMARY KEY, `größe` varchar(10), `日本` int);
INSERT INTO `täble_表_ж` WITH RECURSIVE n AS (SELECT 0 AS i UNION ALL SELECT i + 1 FROM n WHERE i < 35) SELECT i, 'ü', i FROM n;
