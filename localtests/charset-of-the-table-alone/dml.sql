REPLACE INTO t VALUES (3, 'ß', 'ÿ');
