CREATE TABLE t (id int PRIMARY KEY, e enum('😀','b','ü','🐬x') CHARACTER SET utf8mb4, s set('😀','q') CHARACTER SET utf8mb4); INSERT INTO t VALUES (1,'😀','😀'),(2,'🐬x','q,😀'),(3,'ü',''),(4,NULL,NULL);
