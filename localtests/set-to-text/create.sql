CREATE TABLE t (id int PRIMARY KEY, s set('a','b','c') NOT NULL, r varchar(20));
INSERT INTO t VALUES (1, 'a', 'x'), (2, 'b,c', 'y,x'), (3, '', NULL), (4, 'a,b,c', '');
