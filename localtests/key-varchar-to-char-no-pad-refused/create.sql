CREATE TABLE t (k varchar(5) NOT NULL PRIMARY KEY, v int) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_ai_ci;
INSERT INTO t VALUES ('a', 1), ('a ', 2)
