CREATE TABLE t (id int PRIMARY KEY, v int, `select` varchar(20) DEFAULT 'CONSTRAINT x CHECK', w int CHECK (w > 0), CONSTRAINT named CHECK (v > -5), CHECK (id + v > -100), KEY `a key` (v));
INSERT INTO t VALUES (1, 1, 'a', 1), (2, 2, 'CHECK', 2);
