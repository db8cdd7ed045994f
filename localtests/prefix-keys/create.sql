CREATE TABLE t (id int PRIMARY KEY, v varchar(100), x text, b blob, KEY (v(5)), KEY (x(10), b(4)), UNIQUE KEY (b(20)));
INSERT INTO t VALUES (1, 'abcdefghij', 'text one', 'blob1'), (2, 'abcdefghik', 'text two', 'blob2'), (3, NULL, NULL, NULL);
