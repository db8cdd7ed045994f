CREATE TABLE t (id int PRIMARY KEY, a int CHECK (a > 0), b varchar(10), CHECK (b <> 'x' AND b <> ''), CHECK (a <> id * 1000));
INSERT INTO t VALUES (1, 1, 'a'), (2, 2, 'b');
