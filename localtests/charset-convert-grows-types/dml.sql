REPLACE INTO t VALUES (3, 'ß', 'ÿ', '€', 'y', 'y'), (4, REPEAT('ÿ', 255), '', '', 'x', '');
UPDATE t SET s = 'x', e = 'y' WHERE id = 4;
