CREATE TABLE t ("id" int PRIMARY KEY, "select" varchar(20), e enum('a','b\c'));
INSERT INTO t VALUES (1, 'back\slash', 'b\c'), (2, 'quo''te', 'a');
