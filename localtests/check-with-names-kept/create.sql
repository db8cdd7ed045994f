CREATE TABLE t (id int PRIMARY KEY, a int, b varchar(10), CONSTRAINT positive CHECK (a > 0), CONSTRAINT `not x` CHECK (b <> 'x'), CHECK (a <> 99));
INSERT INTO t VALUES (1, 1, 'a'), (2, 2, 'b');
