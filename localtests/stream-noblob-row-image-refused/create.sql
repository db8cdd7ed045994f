CREATE TABLE t (id int PRIMARY KEY, v int, x text);
INSERT INTO t VALUES (1, 1, 'text'), (2, 2, 'text');
