DELETE FROM t WHERE k = 'eĠ';
UPDATE t SET k = 'ff ' WHERE k = 'f';
