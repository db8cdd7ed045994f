INSERT INTO t VALUES ('c', 'w', 1);
UPDATE t SET n = 2 WHERE k = 'a';
UPDATE t SET k = 'f' WHERE k = 'd';
DELETE FROM t WHERE k = 'b';
