DELETE FROM t WHERE v >= 100;
INSERT INTO t VALUES ('xa', 100), ('xb', 101), ('xc', 102);
DELETE FROM t WHERE k = 'xa';
UPDATE t SET k = x'7800' WHERE k = 'xb';
UPDATE t SET k = 'xb', v = v + 10 WHERE k = x'7800';
UPDATE t SET k = IF(k = 'a', x'0061', 'a') WHERE v = 1
