INSERT INTO t VALUES ('d', 200);
DELETE FROM t WHERE k = 'a';
UPDATE t SET k = 'a' WHERE k = 'b';
DELETE FROM t WHERE k = 'f'
