CREATE TABLE t (id int PRIMARY KEY, a json, b json, c json, d json, e json);
INSERT INTO t VALUES (1, '12.5', '0.1', '"12"', '12.5', '101112'), (2, '1e2', '1e2', 'true', '2024', '12'), (3, NULL, NULL, NULL, NULL, NULL);
