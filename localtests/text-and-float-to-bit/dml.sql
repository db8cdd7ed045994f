REPLACE INTO t SELECT id + 10, s, c, u, b, l, d, w, f FROM t WHERE id <= 3;
UPDATE t SET s = ' 7', c = '+7', u = '65535', b = '7 ', l = '007', d = 2.5, w = -0.5, f = 1.5 WHERE id = 11;
