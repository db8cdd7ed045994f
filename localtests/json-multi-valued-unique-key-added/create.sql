CREATE TABLE t (id int PRIMARY KEY, j json);
INSERT INTO t VALUES (1, '{"n": [1, 2], "w": ["a"]}'), (2, '{"n": [3], "w": []}'), (3, '{"n": []}'), (4, NULL), (5, '{"n": [5, 6, 7], "w": ["b", "c"]}');
