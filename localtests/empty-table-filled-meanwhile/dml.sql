INSERT INTO t (v) VALUES (1), (2), (3);
DELETE FROM t WHERE id % 2 = 0;
