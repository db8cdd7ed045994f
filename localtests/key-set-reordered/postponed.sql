INSERT INTO t VALUES ('c', 200);
DELETE FROM t WHERE k = 'a,b';
UPDATE t SET k = 'a,b' WHERE k = 'b,c';
DELETE FROM t WHERE k = ''
