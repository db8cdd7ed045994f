CREATE TABLE t (id int PRIMARY KEY, e enum('ä','ö','€'), s set('ü','é'), g enum('中','文') CHARACTER SET gbk) CHARACTER SET latin1;
INSERT INTO t VALUES (1, 'ä', 'ü,é', '文'), (2, NULL, NULL, NULL), (3, '€', '', '中');
