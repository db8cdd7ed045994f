CREATE TABLE t (id int PRIMARY KEY, a varchar(20) CHARACTER SET latin1, b varchar(20), c varbinary(20), d blob, e binary(6), f char(4) CHARACTER SET ucs2);
INSERT INTO t VALUES (1, 'ü€', 'ü€', 'ü€', 'ü€', 'ab', 'aü'), (2, '', '', '', '', '', ''), (3, NULL, NULL, NULL, NULL, NULL, NULL), (4, 'x  ', 'x  ', 'x ', 'x ', 'x ', 'x ');
