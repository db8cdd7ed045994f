UPDATE t SET v = v + 1;
REPLACE INTO t VALUES (3, 1, '', '2024-01-01 10:00:01', 2.5, '');
