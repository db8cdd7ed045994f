CREATE TABLE t (id int PRIMARY KEY, a int, v varchar(20));
INSERT INTO t VALUES (1, 1, 'one'), (2, 2, 'two'), (3, NULL, NULL);
