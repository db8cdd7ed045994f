CREATE TABLE t (id int PRIMARY KEY, v varchar(20) CHARACTER SET ucs2);
INSERT INTO t VALUES (1, 'ab '), (2, 'ab ');
