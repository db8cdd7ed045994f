REPLACE INTO t SELECT id + 10, g, p, l, pl FROM t WHERE id <= 2;
UPDATE t SET p = ST_GeomFromText('POINT(1.5 2.5)'), g = ST_GeomFromText('POINT(7 8)') WHERE id = 1;
