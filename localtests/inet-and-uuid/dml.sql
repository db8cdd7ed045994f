REPLACE INTO t SELECT id + 10, a, b, c FROM t WHERE id <= 4;
UPDATE t SET a = '::ffff:192.0.2.1', c = 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11' WHERE id = 1;
