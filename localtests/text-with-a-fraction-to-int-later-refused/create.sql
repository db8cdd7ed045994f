CREATE TABLE t (id int PRIMARY KEY, v text);
INSERT INTO t VALUES (1, ' 7 '), (2, '15');
