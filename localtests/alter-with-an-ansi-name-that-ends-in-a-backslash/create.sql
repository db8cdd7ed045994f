CREATE TABLE t (id int PRIMARY KEY, `a\` int, b varchar(9) DEFAULT 'x');
INSERT INTO t VALUES (1, 1, 'y'), (2, 2, 'z');
