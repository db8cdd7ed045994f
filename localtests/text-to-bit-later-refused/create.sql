CREATE TABLE t (id int PRIMARY KEY, a varchar(20));
INSERT INTO t VALUES (1, '5'), (2, '12');
