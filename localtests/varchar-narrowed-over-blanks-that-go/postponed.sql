INSERT INTO t VALUES (3, 'ab   ', 'ab     ', 'ab    ', 'éé '), (4, NULL, 'ab', 'ab', 'ab ');
