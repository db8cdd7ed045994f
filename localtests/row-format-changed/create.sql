CREATE TABLE t (id int PRIMARY KEY, v varchar(200), x text) ROW_FORMAT=REDUNDANT COMMENT='old';
INSERT INTO t VALUES (1, 'a', 'b'), (2, 'c', NULL);
