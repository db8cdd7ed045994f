CREATE TABLE t (id int PRIMARY KEY, a int, v varchar(9));
INSERT INTO t VALUES (1, 1, ''), (2, 0, 'x');
