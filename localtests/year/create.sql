CREATE TABLE t (id int PRIMARY KEY, y year, z year, w year);
INSERT INTO t VALUES (1, 1901, 1901, 1901), (2, 2155, 2155, 2155), (3, 0, 0, 0), (4, NULL, NULL, NULL), (5, 2024, 2024, 2024);
