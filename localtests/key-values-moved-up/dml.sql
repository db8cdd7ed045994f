UPDATE t SET id = id + 1 ORDER BY id DESC;
UPDATE t SET id = id - 1 ORDER BY id;
UPDATE t SET id = id + 1 ORDER BY id DESC;
