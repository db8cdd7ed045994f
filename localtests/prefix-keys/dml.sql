REPLACE INTO t VALUES (4, 'abcdez', 'text', 'blob4');
UPDATE t SET b = CONCAT(b, '') WHERE id = 1;
