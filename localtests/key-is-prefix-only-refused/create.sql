CREATE TABLE t (a varchar(100) NOT NULL, n int, UNIQUE KEY (a(5)));
INSERT INTO t VALUES ('abcdefgh', 1);
