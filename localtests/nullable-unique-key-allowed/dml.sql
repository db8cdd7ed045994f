REPLACE INTO t VALUES (100, 'x', 1);
UPDATE t SET b = 'y' WHERE a = 100 AND b = 'x';
DELETE FROM t WHERE a = 100;
UPDATE t SET v = v + 1 WHERE a = 2;
