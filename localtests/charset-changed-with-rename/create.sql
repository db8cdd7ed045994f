CREATE TABLE t (id int PRIMARY KEY, v text CHARACTER SET latin1, w varchar(30) CHARACTER SET gbk);
INSERT INTO t VALUES (1, 'für 5 €', '中文'), (2, '', ''), (3, NULL, '');
