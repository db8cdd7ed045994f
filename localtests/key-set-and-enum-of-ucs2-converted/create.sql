CREATE TABLE t (id date NOT NULL, a set('c','ä') CHARACTER SET ucs2 NOT NULL, e enum('x','é') CHARACTER SET latin1 NOT NULL, b int unsigned NOT NULL, PRIMARY KEY (a, e, b, id), UNIQUE KEY uk (a, id)) CHARACTER SET utf8mb4;
INSERT INTO t VALUES ('2020-02-29', 'ä', 'é', 255), ('2020-02-28', 'c,ä', 'x', 255)
