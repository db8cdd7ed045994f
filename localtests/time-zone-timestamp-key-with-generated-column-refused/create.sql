CREATE TABLE t (ts timestamp NOT NULL, id int, d date AS (date(ts)) STORED, PRIMARY KEY (id, ts));
INSERT INTO t (id, ts) VALUES (1, '2023-06-30 22:30:00')
