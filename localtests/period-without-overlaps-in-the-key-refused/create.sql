CREATE TABLE t (id int, a date, b date, v int, PERIOD FOR p (a, b), PRIMARY KEY (id, p WITHOUT OVERLAPS));
INSERT INTO t VALUES (1, '2020-01-01', '2020-02-01', 1), (1, '2020-02-01', '2020-03-01', 2), (2, '2020-01-01', '2020-02-01', 3);
