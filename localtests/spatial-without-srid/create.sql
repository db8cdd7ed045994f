CREATE TABLE t (id int PRIMARY KEY, g geometry, p point NOT NULL, l linestring, pl polygon, SPATIAL INDEX (p));
INSERT INTO t VALUES
  (1, ST_GeomFromText('POINT(1 2)'), ST_GeomFromText('POINT(10 20)'), ST_GeomFromText('LINESTRING(0 0, 1 1, 2 2)'), ST_GeomFromText('POLYGON((0 0, 0 4, 4 4, 4 0, 0 0))')),
  (2, NULL, ST_GeomFromText('POINT(0.1 -1e10)'), NULL, NULL);
