REPLACE INTO t VALUES (3, '\''', 'b\c');
UPDATE t SET "select" = 'a\' WHERE id = 1;
