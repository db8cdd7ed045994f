CREATE TABLE t (id int PRIMARY KEY, a tinytext, b text, c varchar(20), e enum('x','y'), s set('x','y')) CHARACTER SET latin1;
INSERT INTO t VALUES (1, REPEAT('ü', 255), REPEAT('é', 65535), 'ß', 'x', 'x,y'), (2, NULL, NULL, NULL, NULL, NULL);
