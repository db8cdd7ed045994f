CREATE TABLE t (k varchar(8) CHARACTER SET ucs2 COLLATE ucs2_bin PRIMARY KEY, v int);
INSERT INTO t VALUES ('a ', 1), ('bĠ', 2), ('c  ', 3), ('d', 4), ('eĠ ', 5), ('f ', 6), ('g ', 7);
