CREATE TABLE t (id int PRIMARY KEY, a varchar(20), b varchar(20), c varchar(20), d varchar(20), e text, f varchar(20));
INSERT INTO t VALUES (1, 'ü€', '中文', '日本', 'aü中', 'aü中😀', 'aü中😀'), (2, '', '', '', '', '', ''), (3, NULL, NULL, NULL, NULL, NULL, NULL);
