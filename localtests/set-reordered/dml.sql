REPLACE INTO t VALUES (5, 'a,c', 'y'), (6, 'c', '');
UPDATE t SET s = 'a,b', r = 'y' WHERE id = 3;
