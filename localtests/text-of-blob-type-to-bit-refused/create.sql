CREATE TABLE t (id int PRIMARY KEY, a text);
INSERT INTO t VALUES (1, '5'), (2, 'a');
