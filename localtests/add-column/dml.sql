INSERT INTO t (name) VALUES ('new');
UPDATE t SET name = CONCAT('x', id) WHERE id % 7 = 3;
DELETE FROM t WHERE id % 11 = 5 LIMIT 1;
