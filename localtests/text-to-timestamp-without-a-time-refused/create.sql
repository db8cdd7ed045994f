CREATE TABLE t (id int PRIMARY KEY, v varchar(40));
INSERT INTO t VALUES (1, '2023-07-01 10:00:00'), (2, 'soon')
