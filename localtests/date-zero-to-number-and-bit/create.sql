CREATE TABLE t (id int PRIMARY KEY, a date, b datetime, c datetime);
INSERT INTO t VALUES (1, '0000-00-00', '0000-00-00', '0000-00-00'), (2, '2020-01-02', '2020-01-02 03:04:05', '2020-01-02');
