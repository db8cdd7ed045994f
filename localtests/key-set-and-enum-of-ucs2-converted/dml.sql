DELETE FROM t WHERE b = 1;
INSERT INTO t VALUES ('2020-03-01', 'ä', 'x', 1), ('2020-03-02', 'c', 'é', 1);
UPDATE t SET a = 'c,ä' WHERE id = '2020-03-01';
DELETE FROM t WHERE id = '2020-03-02'
