CREATE TABLE t (k enum('a','b','c','d','e','f','g','h','i') NOT NULL PRIMARY KEY, v int) CHARACTER SET utf8mb4;
INSERT INTO t VALUES ('h', 1), ('a', 2), ('b', 3), ('c', 4)
