DELETE FROM t WHERE v >= 100;
INSERT INTO t VALUES ('d', 100), ('e', 101), ('f', 102);
DELETE FROM t WHERE k = 'd';
UPDATE t SET k = 'g' WHERE k = 'e';
UPDATE t SET k = 'e', v = v + 10 WHERE k = 'g';
UPDATE t SET k = IF(k = 'h', 'i', 'h') WHERE v = 1
