CREATE TABLE t (id int PRIMARY KEY, a text NOT NULL, UNIQUE KEY a (a(3)));
INSERT INTO t VALUES (1, 'abc'), (2, 'xyz');
