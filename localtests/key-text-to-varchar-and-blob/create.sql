CREATE TABLE t (a varchar(30) NOT NULL, b varbinary(20) NOT NULL, v int, PRIMARY KEY (a, b)) CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci;
INSERT INTO t VALUES ('a ', 'a', 1), ('a', 'a ', 2), ('ä', x'00', 3), ('', '', 4)
