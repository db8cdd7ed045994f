UPDATE t SET v = v + 1 WHERE k IN ('', 'b');
REPLACE INTO t VALUES ('d', 1, '', '', '', '');
DELETE FROM t WHERE k = '';
INSERT INTO t VALUES ('', 1, '', '', '', '');
