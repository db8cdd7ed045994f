CREATE TABLE t (id int PRIMARY KEY, j json, x longtext);
INSERT INTO t VALUES (1, '{"a": 1.0, "ü": ["€", null]}', '{"b": [1, 2.5]}'), (2, NULL, NULL), (3, '[]', 'true');
