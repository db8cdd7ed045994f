CREATE TABLE t (id int PRIMARY KEY, d date, e datetime(3), s time(3), m timestamp(2) NULL, c decimal(6,2), j json);
INSERT INTO t VALUES (1, '2020-01-02', '2020-12-31 23:59:59.999', '23:59:59.6', '2020-01-02 03:04:05.67', 5.5, '5'), (2, '1000-01-01', '2020-01-02 03:04:05.4', '-10:20:30.6', '2020-07-02 03:04:05', 6.5, '-1');
