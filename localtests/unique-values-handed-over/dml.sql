UPDATE t SET u = -1 WHERE id = 5;
UPDATE t SET u = 5 WHERE id = 50;
UPDATE t SET u = 50 WHERE id = 5;
UPDATE t SET u = 1000 + id WHERE id IN (5, 50);
UPDATE t SET u = id WHERE id IN (5, 50);
DELETE FROM t WHERE id = 1;
UPDATE t SET u = 1, w = 'w' WHERE id = 59;
UPDATE t SET u = 59, w = '59' WHERE id = 59;
INSERT INTO t VALUES (1, 1, 'w');
