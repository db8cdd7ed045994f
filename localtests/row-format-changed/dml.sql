REPLACE INTO t VALUES (3, 'x', 'y');
