CREATE TABLE t (id int PRIMARY KEY, v json);
INSERT INTO t VALUES (1, '7'), (2, '12.5');
