REPLACE INTO t (id, v) VALUES (4, -5);
UPDATE t SET v = v + 1 WHERE id = 1;
DELETE FROM t WHERE id = 3;
