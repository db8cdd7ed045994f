CREATE TABLE t (id int PRIMARY KEY, a enum('a','1','2024'), b set('a','1','2024'), c time, d double, e float(5,1));
INSERT INTO t VALUES (1, 'a', 'a,1', '00:20:24', 1.5, 69.5), (2, '2024', '', '00:00:12', 2.5, 2.5), (3, NULL, NULL, NULL, NULL, NULL);
