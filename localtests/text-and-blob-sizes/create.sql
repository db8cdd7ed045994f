CREATE TABLE t (id int PRIMARY KEY, a tinytext, b text, c mediumtext, d longtext, e tinyblob, f blob, g mediumblob, h longblob);
INSERT INTO t VALUES (1, REPEAT('a', 255), REPEAT('ü', 32767), REPEAT('€', 30000), REPEAT('😀', 30000), REPEAT(0x00, 255), REPEAT(0xFF, 65535), REPEAT(0x27, 100000), REPEAT(0x5C, 100000)),
  (2, '', '', '', '', '', '', '', ''), (3, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
