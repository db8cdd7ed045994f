CREATE TABLE t (id int PRIMARY KEY, a varchar(20) NOT NULL, UNIQUE KEY (a(4))) CHARACTER SET utf8mb4;
INSERT INTO t VALUES (1, 'abcd'), (2, 'abce')
