CREATE TABLE t (id int PRIMARY KEY, x text, FULLTEXT KEY f (x));
INSERT INTO t VALUES (1, 'some words here'), (2, NULL);
