CREATE TABLE t (k varchar(20) COLLATE utf8mb4_unicode_ci PRIMARY KEY, b varchar(20) COLLATE utf8mb4_bin, n int, UNIQUE KEY (b));
INSERT INTO t VALUES ('a ', 'a', 1), ('b', 'b ', 2), ('c  ', 'A', 3), ('', '', 4);
