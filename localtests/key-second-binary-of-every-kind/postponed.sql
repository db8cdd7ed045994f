DELETE FROM t WHERE id = 2;
INSERT INTO t VALUES (20, 'a', 'a', 'abcd', 'a');
