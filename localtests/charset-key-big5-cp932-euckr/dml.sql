UPDATE t SET n = n + 1;
REPLACE INTO t VALUES ('功', 'ソ', '글', '😀', 30);
DELETE FROM t WHERE n > 29 AND c = '글';
