DELETE FROM t WHERE v >= 100;
INSERT INTO t VALUES ('c', 100), ('a,c', 101), ('', 102);
DELETE FROM t WHERE k = 'c';
UPDATE t SET k = 'b' WHERE k = 'a,c';
UPDATE t SET k = 'a,c', v = v + 10 WHERE k = 'b';
UPDATE t SET k = IF(k = 'a', 'a', 'a') WHERE v = 1
