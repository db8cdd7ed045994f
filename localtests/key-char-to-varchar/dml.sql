DELETE FROM t WHERE v >= 10;
INSERT INTO t VALUES ('x', 10), ('y', 11), (' z', 12);
UPDATE t SET k = 'w' WHERE k = 'x';
UPDATE t SET k = IF(k = 'a', 'c', 'a') WHERE v = 1;
DELETE FROM t WHERE k = 'y' 
