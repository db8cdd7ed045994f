DELETE FROM t WHERE v >= 100;
INSERT INTO t VALUES ('xa ', 100), ('xb ', 101), ('xc', 102);
DELETE FROM t WHERE k = 'xa ';
UPDATE t SET k = 'y ' WHERE k = 'xb ';
UPDATE t SET k = 'xb ', v = v + 10 WHERE k = 'y ';
UPDATE t SET k = IF(k = 'z ', 'w', 'z ') WHERE v = 1
