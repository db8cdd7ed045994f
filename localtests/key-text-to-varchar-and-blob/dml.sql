DELETE FROM t WHERE v >= 10;
INSERT INTO t VALUES ('A', x'0000', 10), ('A ', x'', 11), ('ü', x'20', 12);
UPDATE t SET b = x'000000' WHERE v = 10;
UPDATE t SET a = 'b ' WHERE v = 11;
UPDATE t SET a = IF(a = '', 'ß', '') WHERE v = 4;
DELETE FROM t WHERE a = 'U' 
