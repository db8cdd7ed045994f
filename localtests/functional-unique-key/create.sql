CREATE TABLE t (id int PRIMARY KEY, v varchar(20), UNIQUE KEY u ((LOWER(v))), UNIQUE KEY w ((id * 2), v));
INSERT INTO t VALUES (1, 'a'), (2, 'B'), (3, NULL);
