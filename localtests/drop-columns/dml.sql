REPLACE INTO t VALUES (100, 1, 'x', 'y', 7);
UPDATE t SET a = 0, d = d + 1 WHERE id < 5;
