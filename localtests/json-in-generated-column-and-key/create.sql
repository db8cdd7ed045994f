CREATE TABLE t (id int PRIMARY KEY, j json, g varchar(20) AS (JSON_UNQUOTE(JSON_EXTRACT(j, '$.name'))) VIRTUAL, s int AS (JSON_EXTRACT(j, '$.n')) STORED, KEY (g), KEY (s));
INSERT INTO t (id, j) VALUES (1, '{"name": "ü", "n": 5}'), (2, '{"name": "b", "n": 6}'), (3, NULL);
