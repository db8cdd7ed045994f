CREATE TABLE t (
  id int PRIMARY KEY,
  l1 varchar(20) CHARACTER SET latin1, l2 varchar(20) CHARACTER SET latin2, gb varchar(20) CHARACTER SET gbk, b5 varchar(20) CHARACTER SET big5,
  sj varchar(20) CHARACTER SET sjis, c9 varchar(20) CHARACTER SET cp932, u2 varchar(20) CHARACTER SET ucs2, u16 varchar(20) CHARACTER SET utf16,
  u32 varchar(20) CHARACTER SET utf32, u3 varchar(20) CHARACTER SET utf8mb3, eu varchar(20) CHARACTER SET euckr, ej varchar(20) CHARACTER SET ujis
) CHARACTER SET latin1;
INSERT INTO t VALUES
  (1, 'ü€', 'ł', '中文', '中文', '日本', '日本', 'aü中', 'aü😀', 'aü😀', 'aü中', '한글', '日本'),
  (2, '', '', '', '', '', '', '', '', '', '', '', ''),
  (3, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
  (4, 'a\\''b', 'a\\b', '縗', '功能', 'ソ表', 'ソ表', '\\', '\\', '\\', '\\', '\\', '\\');
