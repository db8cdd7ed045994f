CREATE TABLE t (a char(4) CHARACTER SET big5, b char(4) CHARACTER SET cp932, c char(4) CHARACTER SET euckr, d char(3) CHARACTER SET utf32, n int, UNIQUE KEY k (d, c, b, a)) ;
ALTER TABLE t MODIFY a char(4) CHARACTER SET big5 NOT NULL, MODIFY b char(4) CHARACTER SET cp932 NOT NULL, MODIFY c char(4) CHARACTER SET euckr NOT NULL, MODIFY d char(3) CHARACTER SET utf32 NOT NULL;
INSERT INTO t VALUES ('功', '日', '한', '😀', 1), ('', '', '', '', 2), ('蓋', 'ソ', '글', 'a', 3), ('許', '表', '가', 'b ', 4), ('a', 'b', 'c', 'd', 5), ('a', 'b', 'c', 'e', 6),
  ('a', 'b', 'c', 'f', 7), ('a', 'b', 'c', 'g', 8), ('a', 'b', 'c', 'h', 9), ('a', 'b', 'c', 'i', 10), ('a', 'b', 'c', 'j', 11), ('a', 'b', 'c', 'k', 12), ('a', 'b', 'c', 'l', 13);
