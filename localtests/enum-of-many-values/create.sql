CREATE TABLE t (id int PRIMARY KEY, e enum('v001','v002','v003','v004','v005','it''s','a,b','c;d','"q"','back\\slash',' lead','ÄÖ','日本','paren)','(paren'));
INSERT INTO t WITH RECURSIVE n AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM n WHERE i < 15) SELECT i, i FROM n;
