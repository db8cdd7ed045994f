CREATE TABLE t (id int PRIMARY KEY, a varchar(20) CHARACTER SET latin1, b varchar(300) CHARACTER SET latin1, c varchar(20) CHARACTER SET gbk, d varchar(20) CHARACTER SET gbk);
INSERT INTO t VALUES (1, 'ab   ', 'ab     ', 'ab    ', 'éé '), (2, 'ab', 'ab', 'ab', 'ab ');
