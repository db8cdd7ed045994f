CREATE TABLE t (id int PRIMARY KEY, a int, CHECK (a > 0), CHECK (a < 1000), CHECK (a <> 50), CONSTRAINT `a named one` CHECK (id < 500));
ALTER TABLE t DROP CONSTRAINT t_chk_2;
INSERT INTO t VALUES (1, 1), (2, 2);
