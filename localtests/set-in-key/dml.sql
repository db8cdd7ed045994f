REPLACE INTO t VALUES ('a,b', 200), ('', 200);
DELETE FROM t WHERE n = 200 AND s = '';
UPDATE t SET s = 'd' WHERE n = 11;
UPDATE t SET s = 'a,d' WHERE n = 11;
