CREATE TABLE t (id int PRIMARY KEY, v varchar(20));
INSERT INTO t VALUES (1, ' 7 '), (2, '1.5');
