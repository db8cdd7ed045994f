CREATE TABLE t (id int PRIMARY KEY, a date, b date, v int, PERIOD FOR p (a, b));
INSERT INTO t VALUES (1, '2020-01-01', '2020-02-01', 1), (3, '2020-02-01', '2020-03-01', 2);
