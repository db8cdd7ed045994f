CREATE TABLE t (id int PRIMARY KEY, j json, n int);
INSERT INTO t VALUES
  (1, '[1.0, 1e2, 1, -1, 18446744073709551615, true, null, "x", {"a": [1, {"b": 1.5e300}]}]', 1),
  (2, JSON_ARRAY(CAST(1.10 AS DECIMAL(10,2)), CAST('2024-01-02' AS DATE), CAST('2024-01-02 03:04:05.678901' AS DATETIME(6)), CAST('-12:13:14.5' AS TIME(6)), CAST(123456789012345678901234567890.123 AS DECIMAL(40,3))), 2),
  (3, JSON_OBJECT('', 1, 'ü€😀', '中', 'q"uote', 'back\\slash\n'), 3), (4, 'null', 4), (5, NULL, 5), (6, '""', 6), (7, '{}', 7), (8, '[]', 8), (9, 'true', 9), (10, '9223372036854775808', 10),
  (11, JSON_ARRAY(x'00ff10', b'101', REPEAT('long ', 5000)), 11), (12, '-0.0', 12), (13, '"\\u0000\\u001f"', 13);
