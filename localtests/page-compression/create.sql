CREATE TABLE t (id int PRIMARY KEY, v varchar(200)) COMPRESSION='zlib';
INSERT INTO t VALUES (1, 'a'), (2, 'c');
