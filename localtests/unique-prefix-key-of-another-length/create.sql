CREATE TABLE t (id int PRIMARY KEY, a varchar(20) NOT NULL, b text, c varbinary(20), UNIQUE KEY (a(4)), UNIQUE KEY (b(6)), UNIQUE KEY (c(2))) CHARACTER SET utf8mb4;
INSERT INTO t VALUES (1, 'abcdef', 'abcdefgh', 'abc'), (2, 'abcx', 'abcdeg', 'b'), (3, 'x', NULL, NULL)
