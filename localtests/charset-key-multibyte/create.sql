CREATE TABLE t (g varchar(10) CHARACTER SET gbk, s varchar(10) CHARACTER SET sjis, u varchar(10) CHARACTER SET utf16, n int, PRIMARY KEY (g, s, u));
INSERT INTO t VALUES ('中', '日', '😀', 1), ('縗', 'ソ', 'a', 2), ('\\', '\\', '\\', 3), ('', '', '', 4), ('中', '表', 'é', 5), ('a', 'b', 'c', 6),
  ('誠', '能', 'x', 7), ('誠', '能', 'y', 8), ('誠', '能', 'z', 9), ('文', '本', '1', 10), ('文', '本', '2', 11), ('文', '本', '3', 12), ('文', '本', '4', 13);
