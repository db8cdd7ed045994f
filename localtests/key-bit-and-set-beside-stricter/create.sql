CREATE TABLE t (b bit(63) NOT NULL, s set('x','y') NOT NULL, v int, PRIMARY KEY (s, b));
INSERT INTO t VALUES (0, '', 1), (9223372036854775807, 'x', 2), (5, 'x,y', 3), (5, 'y', 4), (6, 'y', 5);
