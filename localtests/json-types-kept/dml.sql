UPDATE t SET n = n + 1;
REPLACE INTO t SELECT id + 20, j, n FROM t WHERE id <= 13;
UPDATE t SET j = JSON_SET(j, '$[0]', 2.0) WHERE id = 1;
