UPDATE t SET j = '{"n": [10]}' WHERE id = 1;
UPDATE t SET j = '{"n": [1, 3]}' WHERE id = 2 AND FALSE;
UPDATE t SET j = '{"n": [2, 3]}' WHERE id = 2;
UPDATE t SET j = '{"n": [3], "w": []}' WHERE id = 2;
UPDATE t SET j = '{"n": [1, 2], "w": ["a"]}' WHERE id = 1;
DELETE FROM t WHERE id = 5;
INSERT INTO t VALUES (5, '{"n": [5, 6, 7], "w": ["b", "c"]}');
