REPLACE INTO t (id, v, w) VALUES (3, 3, 'w');
