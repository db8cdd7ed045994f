CREATE TABLE t (id int PRIMARY KEY, k varchar(5) COLLATE utf8mb4_0900_ai_ci, UNIQUE KEY (k)) CHARACTER SET utf8mb4;
INSERT INTO t VALUES (1, 'a'), (2, 'a '), (3, 'b ')
