SET SESSION binlog_row_value_options = PARTIAL_JSON;
UPDATE t SET j = JSON_SET(j, '$.n', n + 1), n = n + 1 WHERE id < 5;
