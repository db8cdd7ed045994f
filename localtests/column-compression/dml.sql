REPLACE INTO t VALUES (4, REPEAT('z', 900), 'short', 'x');
UPDATE t SET x = REPEAT('u', 300) WHERE id = 1;
