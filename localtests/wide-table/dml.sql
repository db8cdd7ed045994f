UPDATE t SET c03 = id, v09 = CONCAT('x', id), c20 = NULL WHERE id % 4 = 0;
REPLACE INTO t (id, c16, v08) VALUES (100, 16, 'eight');
