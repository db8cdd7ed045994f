REPLACE INTO t SELECT id + 10, g, p, l, pl, mp, gc FROM t WHERE id <= 3;
UPDATE t SET p = ST_GeomFromText('POINT(1.5 2.5)', 4326), g = ST_GeomFromText('POINT(7 8)', 4326) WHERE id = 1;
