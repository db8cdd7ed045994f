CREATE TABLE t (id int PRIMARY KEY, a text NOT NULL, b blob NOT NULL, c varchar(20) NOT NULL, UNIQUE KEY a (a(3)), UNIQUE KEY b (b(3)), UNIQUE KEY c (c(4)));
INSERT INTO t VALUES (1, 'äöü1', 0x00000001, 'aaaab'), (2, 'xyz', 0x0000, 'bbbbc'), (3, 'ÄXX', '', ''), (4, 'q', 'q', 'q');
DELETE FROM t WHERE id = 3;
