CREATE TABLE t (id int PRIMARY KEY, a text CHARACTER SET utf8mb4, b longtext CHARACTER SET latin1, c longblob, d varchar(400) CHARACTER SET latin1,
  e char(255) CHARACTER SET utf8mb4, f mediumblob, g varbinary(300), h text CHARACTER SET utf8mb4);
INSERT INTO t VALUES (1, REPEAT('é', 127), REPEAT('x', 65535), REPEAT(x'00ff', 30000), REPEAT('y', 255), REPEAT('é', 127), REPEAT(x'00', 255), REPEAT(x'20', 255), REPEAT('é', 127)),
  (2, '', '', '', '', '', '', '', ''), (3, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL), (4, 'a  ', 'b  ', 'c  ', 'd  ', 'e  ', 'f  ', 'g  ', 'h  ');
