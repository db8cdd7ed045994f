REPLACE INTO t (id, a, h) VALUES (4, 4, 'x');
REPLACE INTO t VALUES (5, 5);
UPDATE t SET z = z + 1;
