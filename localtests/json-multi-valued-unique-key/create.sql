CREATE TABLE t (id int PRIMARY KEY, j json, UNIQUE KEY numbers ((CAST(j->'$.n' AS UNSIGNED ARRAY))), KEY words ((CAST(j->'$.w' AS CHAR(10) ARRAY))));
INSERT INTO t VALUES (1, '{"n": [1, 2], "w": ["a"]}'), (2, '{"n": [3], "w": []}'), (3, '{"n": []}'), (4, NULL), (5, '{"n": [5, 6, 7], "w": ["b", "c"]}');
