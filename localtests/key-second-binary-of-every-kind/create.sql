CREATE TABLE t (id int PRIMARY KEY, a varbinary(4) NOT NULL, b binary(2) NOT NULL, c binary(4) NOT NULL, d binary(4) NOT NULL, UNIQUE KEY a (a), UNIQUE KEY b (b), UNIQUE KEY c (c), UNIQUE KEY d (d));
INSERT INTO t VALUES (1, '', '', 'aaaa', ''), (2, 'a', 'a', 'abcd', 'a'), (3, 'ab', 'ab', 'efgh', 'ab'), (4, 'abc', 'b', 'ijkl', 'abc'), (5, 'd', 'd', 'dddd', 'd');
