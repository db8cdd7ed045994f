REPLACE INTO t VALUES (100, 5, 'new', '2025-01-01', 'dd');
UPDATE t SET a = a + 1, b = CONCAT('u', id), d = 'x' WHERE id % 4 = 1;
