UPDATE t SET part = (part + 1) % 4 WHERE id % 5 = 0;
REPLACE INTO t VALUES (100, 1, 1);
DELETE FROM t WHERE id = 100;
