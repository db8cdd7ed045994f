CREATE TABLE t (id int PRIMARY KEY, a char(5), b varchar(5), c text, d char(0), e varchar(0));
INSERT INTO t VALUES (1, 'ab', 'ab ', 'ab ', '', ''), (2, ' ', '  ', ' ', NULL, NULL), (3, 'ab\t', 'ab\t', '\n', '', NULL), (4, NULL, NULL, NULL, NULL, '');
