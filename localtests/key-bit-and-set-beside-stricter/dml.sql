UPDATE t SET v = v + 100 WHERE v < 3;
DELETE FROM t WHERE b = 5 AND s = 'x,y';
INSERT INTO t VALUES (5, 'x,y', 3);
UPDATE t SET s = 'x' WHERE b = 5 AND s = 'y';
UPDATE t SET s = 'y' WHERE b = 5 AND s = 'x';
