CREATE TABLE t (id int PRIMARY KEY, a varchar(20), b text) CHARACTER SET latin1;
INSERT INTO t VALUES (1, 'ü€', 'é'), (2, '', NULL);
