CREATE TABLE t (id int PRIMARY KEY, a int NOT NULL, v varchar(9) NOT NULL);
INSERT INTO t VALUES (1, 1, ''), (2, 0, 'x');
