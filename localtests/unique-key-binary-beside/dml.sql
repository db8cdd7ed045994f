DELETE FROM t WHERE n > 10;
INSERT INTO t VALUES ('b', 'a', 'x,y', 'q ', 11, 'k11'), ('b', 'b', 'x,z', 'q ', 12, 'k12'), (x'0062', 'b', 'x,y,z', 'q ', 13, 'k13');
UPDATE t SET b = 'c' WHERE n = 11;
UPDATE t SET s = 'y,z', u = 'k14' WHERE n = 12;
DELETE FROM t WHERE n = 13;
UPDATE t SET e = IF(e = 'a', 'b', 'a') WHERE n = 4
