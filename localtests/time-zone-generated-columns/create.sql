CREATE TABLE t (id int PRIMARY KEY, ts timestamp(3) NULL, e bigint,
  d date AS (date(ts)) STORED, h int AS (hour(ts)) VIRTUAL, KEY (h), CHECK (ts > '2001-01-01 00:30:00'));
INSERT INTO t (id, ts, e) VALUES (1, '2023-07-01 00:30:00.123', 1688164200), (2, '2024-01-01 00:30:00', 1704065400), (3, NULL, NULL),
  (4, '2023-10-29 03:30:00', 2), (5, '2001-01-01 00:45:00', 3)
