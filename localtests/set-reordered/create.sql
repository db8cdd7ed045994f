CREATE TABLE t (id int PRIMARY KEY, s set('a','b','c') NOT NULL, r set('x','y') NULL);
INSERT INTO t VALUES (1, 'a', 'x'), (2, 'b,c', 'x,y'), (3, '', NULL), (4, 'a,b,c', '');
