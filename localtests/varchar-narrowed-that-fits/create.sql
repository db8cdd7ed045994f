CREATE TABLE t (id int PRIMARY KEY, v varchar(20), w varchar(20));
INSERT INTO t VALUES (1, 'abc', 'ä€😀'), (2, '', '   '), (3, NULL, NULL);
