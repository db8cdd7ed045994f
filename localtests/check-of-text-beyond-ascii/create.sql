CREATE TABLE t (id int PRIMARY KEY, a varchar(10), CONSTRAINT t_chk_1 CHECK (a <> 'ü€'), CONSTRAINT t_chk_2 CHECK (a <> 'quo''te\\'));
INSERT INTO t VALUES (1, 'ü'), (2, '€');
