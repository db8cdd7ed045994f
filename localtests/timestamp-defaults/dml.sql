REPLACE INTO t (id, v) VALUES (3, 3);
UPDATE t SET v = v + 1;
