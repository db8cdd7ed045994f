REPLACE INTO t VALUES (3, 'xyz', 'xyz'), (4, 'ñ€', 'ñ€');
UPDATE t SET v = 'Ünü' WHERE id = 1;
