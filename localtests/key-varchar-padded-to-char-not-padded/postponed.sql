DELETE FROM t WHERE k = 'ab';
UPDATE t SET v = 20 WHERE k = 'cd';
UPDATE t SET k = 'xy  ', v = 40 WHERE k = 'gh';
UPDATE t SET v = 60 WHERE k = 'é';
INSERT INTO t VALUES ('ij  ', 7);
DELETE FROM t WHERE k = 'ij';
INSERT INTO t VALUES ('ij ', 8);
