CREATE TABLE t (a binary(4) NOT NULL, b varbinary(4) NOT NULL, v int, PRIMARY KEY (a, b));
INSERT INTO t VALUES (0x00000000, '', 1), (0x01000000, '', 2), (0x01000000, 0x00, 3), (0x01000000, 0x0000, 4), (0x61620000, 0x00, 5), (0x61622000, ' ', 6), (0xFFFFFFFF, 0xFFFFFFFF, 7), ('ab', 'ab', 8),
  (0x02000000, '', 9), (0x02000000, 0x00, 10), (0x03000000, '', 11), (0x04000000, '', 12), (0x05000000, '', 13);
