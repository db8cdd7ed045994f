REPLACE INTO t VALUES (4, 'd'), (5, 'c');
UPDATE t SET e = 'd' WHERE id = 1;
UPDATE t SET e = 'c' WHERE id = 3;
