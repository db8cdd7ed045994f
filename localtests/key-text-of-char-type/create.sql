CREATE TABLE t (c char(10) NOT NULL PRIMARY KEY, v int) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
INSERT INTO t VALUES ('', 1), ('a', 2), ('a\tb', 3), ('ä', 4), ('😀', 5), ('A', 6), ('\'q', 7), ('b\\', 8), ('c', 9), ('d', 10), ('e', 11), ('f', 12);
