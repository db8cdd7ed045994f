CREATE TABLE t (id int PRIMARY KEY, a varchar(20) CHARACTER SET gb18030, b varchar(20) CHARACTER SET gb18030);
INSERT INTO t VALUES (1, '中文😀ü', '中文😀ü'), (2, '\\', ''), (3, NULL, NULL);
