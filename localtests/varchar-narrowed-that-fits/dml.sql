REPLACE INTO t VALUES (4, 'xyz', 'x'), (5, 'ab ', '  x');
