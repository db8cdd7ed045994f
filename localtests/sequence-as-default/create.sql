CREATE SEQUENCE IF NOT EXISTS test.numbers_of_a_case START WITH 100;
CREATE TABLE t (id int NOT NULL DEFAULT nextval(test.numbers_of_a_case) PRIMARY KEY, v int, w int DEFAULT (nextval(test.numbers_of_a_case)));
INSERT INTO t (v) VALUES (1), (2), (3);
