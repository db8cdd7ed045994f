CREATE TABLE t (id int PRIMARY KEY, e enum('one','two','3','ü€') NOT NULL, f enum('10','20','5'), g varchar(10), h int);
INSERT INTO t VALUES (1, 'one', '10', 'x', 1), (2, '3', '20', 'y', 2), (3, 'ü€', NULL, NULL, NULL), (4, 'two', '5', 'x', 1);
