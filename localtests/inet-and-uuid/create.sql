CREATE TABLE t (id int PRIMARY KEY, a inet6, b inet4, c uuid);
INSERT INTO t VALUES (1, '::1', '127.0.0.1', '123e4567-e89b-12d3-a456-426655440000'), (2, '2001:db8::ff00:42:8329', '255.255.255.255', '00000000-0000-0000-0000-000000000000'), (3, NULL, NULL, NULL), (4, '::', '0.0.0.0', 'ffffffff-ffff-ffff-ffff-ffffffffffff');
