CREATE TABLE t (k varchar(9) PRIMARY KEY, v int, s varchar(20), b blob, e enum('','a') NOT NULL, f set('a') NOT NULL);
INSERT INTO t VALUES ('', 1, '', '', '', ''), ('b', 2, NULL, NULL, 'a', 'a'), ('c', 1, '', '', '', '');
