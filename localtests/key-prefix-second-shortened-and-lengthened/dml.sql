UPDATE t SET a = 'tmp', b = 'tmp', c = 'tmp' WHERE id = 1;
UPDATE t SET a = 'äöü2', b = 0x00000002, c = 'aaaac' WHERE id = 4;
UPDATE t SET a = 'q', b = 'q', c = 'q' WHERE id = 4;
UPDATE t SET a = 'äöü1', b = 0x00000001, c = 'aaaab' WHERE id = 1;
DELETE FROM t WHERE id = 2;
INSERT INTO t VALUES (2, 'xyz', 0x0000, 'bbbbc');
