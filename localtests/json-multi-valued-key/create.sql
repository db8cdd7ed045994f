CREATE TABLE t (id int PRIMARY KEY, j json, KEY z ((CAST(j->'$.z' AS UNSIGNED ARRAY))), UNIQUE KEY u (id, (CAST(j->'$.u' AS CHAR(10) ARRAY))));
INSERT INTO t VALUES (1, '{"z":[1,2],"u":["a","b"]}'), (2, '{"z":[2,3]}'), (3, NULL);
