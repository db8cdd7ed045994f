SET SESSION binlog_format = STATEMENT;
UPDATE t SET v = v + 100;
