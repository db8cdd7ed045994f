REPLACE INTO t VALUES (3, 'more words');
DELETE FROM t WHERE id = 3;
