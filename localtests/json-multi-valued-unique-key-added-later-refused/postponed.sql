INSERT INTO t VALUES (7, '{"n": [8, 2]}');
