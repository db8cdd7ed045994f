CREATE TABLE parent (id int PRIMARY KEY);
INSERT INTO parent VALUES (1), (2);
CREATE TABLE t (id int PRIMARY KEY, p int, v int, CONSTRAINT fk FOREIGN KEY (p) REFERENCES parent (id));
INSERT INTO t VALUES (1, 1, 1), (2, 2, 2);
