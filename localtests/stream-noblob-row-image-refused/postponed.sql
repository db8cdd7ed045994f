SET SESSION binlog_row_image = NOBLOB;
UPDATE t SET v = 5 WHERE id = 1;
