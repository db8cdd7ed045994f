REPLACE INTO t VALUES (100, 5, 'new', '2025-01-01');
UPDATE t SET a = a + 1, b = CONCAT('u', id), c = c + INTERVAL 1 DAY WHERE id % 4 = 1;
