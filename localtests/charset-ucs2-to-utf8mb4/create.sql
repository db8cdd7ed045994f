CREATE TABLE t (id int PRIMARY KEY, v varchar(20) CHARACTER SET ucs2, w text CHARACTER SET ucs2);
INSERT INTO t VALUES (1, 'abc', 'abc'), (2, 'äöü', 'é');
