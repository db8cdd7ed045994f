CREATE TABLE t (id int PRIMARY KEY, a binary(5), b varbinary(10), c binary(255), d binary(1));
INSERT INTO t VALUES (1, 'ab', 'ab', '', 0x00), (2, 0x6162000000, 0x61620000, 0x00, 0xFF), (3, '', '', REPEAT(0x00, 255), ''), (4, NULL, NULL, NULL, NULL), (5, 'ab   ', 'ab ', REPEAT(0xFF, 255), ' '), (6, 0x2020, 0x20, 0x5C27, 0x27);
