SET SESSION binlog_transaction_compression = ON;
UPDATE t SET v = REPEAT('u', id) WHERE id % 5 = 1;
REPLACE INTO t VALUES (100, REPEAT('new', 50));
DELETE FROM t WHERE id = 100;
