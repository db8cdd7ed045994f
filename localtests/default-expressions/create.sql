CREATE TABLE t (id int PRIMARY KEY, a int DEFAULT (1 + 2), b varchar(40) DEFAULT (CONCAT('x', 'y')), d date DEFAULT (CURRENT_DATE));
INSERT INTO t (id, d) VALUES (1, '2024-01-01'), (2, '2024-02-02');
