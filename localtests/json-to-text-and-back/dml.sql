REPLACE INTO t VALUES (4, '{"k": "😀"}', '[{"k": "ü"}]');
UPDATE t SET j = '"x"', x = '{"n": -1e-5}' WHERE id = 3;
