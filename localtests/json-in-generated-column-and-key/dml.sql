REPLACE INTO t (id, j) VALUES (4, '{"name": "€", "n": 7}');
UPDATE t SET j = JSON_SET(j, '$.n', 50) WHERE id = 1;
