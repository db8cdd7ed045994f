CREATE TABLE t (id int PRIMARY KEY, g geometry, p point NOT NULL SRID 4326, l linestring, pl polygon, mp multipoint, gc geometrycollection, SPATIAL INDEX (p));
INSERT INTO t VALUES
  (1, ST_GeomFromText('POINT(1 2)'), ST_GeomFromText('POINT(10 20)', 4326), ST_GeomFromText('LINESTRING(0 0, 1 1, 2 2)'), ST_GeomFromText('POLYGON((0 0, 0 4, 4 4, 4 0, 0 0))'), ST_GeomFromText('MULTIPOINT(0 0, 1 1)'), ST_GeomFromText('GEOMETRYCOLLECTION(POINT(1 1), LINESTRING(0 0, 1 1))')),
  (2, ST_GeomFromText('POINT(5 6)', 3857), ST_GeomFromText('POINT(-90 180)', 4326), NULL, NULL, NULL, ST_GeomFromText('GEOMETRYCOLLECTION EMPTY')),
  (3, NULL, ST_GeomFromText('POINT(0.1 -0.1)', 4326), NULL, NULL, NULL, NULL);
