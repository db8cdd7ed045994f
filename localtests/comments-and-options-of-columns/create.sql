CREATE TABLE t (id int PRIMARY KEY COMMENT 'the id', v int COMMENT 'it''s "v", `x`', w varchar(10) DEFAULT 'd''q') COMMENT='table\ncomment' AVG_ROW_LENGTH=100 STATS_PERSISTENT=1 STATS_SAMPLE_PAGES=7;
INSERT INTO t (id) VALUES (1), (2);
