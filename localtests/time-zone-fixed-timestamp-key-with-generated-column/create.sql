CREATE TABLE t (ts timestamp(2) NOT NULL, id int, v int, d date AS (date(ts)) STORED, PRIMARY KEY (ts, id));
INSERT INTO t (id, ts) VALUES (1, '2023-07-01 00:10:00.25'), (2, '2023-06-30 23:50:00'), (3, '2023-07-01 00:10:00'), (3, '2023-07-01 00:10:00.25')
