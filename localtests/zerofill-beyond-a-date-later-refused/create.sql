CREATE TABLE t (id int PRIMARY KEY, c bigint zerofill);
INSERT INTO t VALUES (1, NULL), (2, NULL);
