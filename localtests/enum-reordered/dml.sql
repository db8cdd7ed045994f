REPLACE INTO t VALUES (5, 'c', 'x'), (6, 'b', NULL);
UPDATE t SET e = 'a', f = 'y' WHERE id = 3;
UPDATE t SET e = 'b' WHERE id = 4;
