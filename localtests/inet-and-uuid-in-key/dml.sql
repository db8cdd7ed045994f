UPDATE t SET n = n + 1 WHERE n % 4 = 0;
REPLACE INTO t VALUES ('::', 'ffffffff-ffff-ffff-ffff-ffffffffffff', 7);
DELETE FROM t WHERE c = 'ffffffff-ffff-ffff-ffff-ffffffffffff';
