INSERT INTO t VALUES ('xa', 200);
DELETE FROM t WHERE k = 'aa';
UPDATE t SET k = 'aa' WHERE k = 'b';
DELETE FROM t WHERE k = 'xc'
