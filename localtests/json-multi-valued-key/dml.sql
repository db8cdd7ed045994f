UPDATE t SET j = '{"z":[7,8,9]}' WHERE id = 1;
REPLACE INTO t VALUES (4, '{"u":["a"]}');
