UPDATE t SET v = v + 1 WHERE v % 5 = 0;
UPDATE t SET id = id + 1000 WHERE id = -50;
UPDATE t SET id = id - 1000 WHERE id = 950;
