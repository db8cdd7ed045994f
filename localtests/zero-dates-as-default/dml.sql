REPLACE INTO t (id, v) VALUES (3, 3);
