package sql

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func parsed(t *testing.T, text string) *AlterTableParser {
	t.Helper()
	parser := NewAlterTableParser()
	require.NoError(t, parser.ParseAlterStatement(text), "text: %s", text)
	return parser
}

func TestFullStatementsNameTheirTableAndKeepTheirOptionsVerbatim(t *testing.T) {
	for _, test := range []struct {
		text, schema, table, options string
	}{
		{"alter table tbl drop column b", "", "tbl", "drop column b"},
		{"ALTER TABLE sch.tbl DROP COLUMN b, ADD INDEX idx (i)", "sch", "tbl", "DROP COLUMN b, ADD INDEX idx (i)"},
		{"ALTER TABLE `sch`.tbl ADD x INT", "sch", "tbl", "ADD x INT"},
		{"ALTER TABLE sch.`tbl` ADD x INT", "sch", "tbl", "ADD x INT"},
		{"ALTER TABLE `my sch.ema` . `ta``ble` ADD x INT", "my sch.ema", "ta`ble", "ADD x INT"},
		{"ALTER TABLE `a.b` ADD x INT", "", "a.b", "ADD x INT"},
		{`ALTER TABLE "sch"."t ""q""" ADD x INT`, "sch", `t "q"`, "ADD x INT"},
		{"ALTER TABLE sch.2024 ADD x INT", "sch", "2024", "ADD x INT"},
		{"ALTER TABLE 2024_logs.1e5 ADD x INT", "2024_logs", "1e5", "ADD x INT"},
		{"ALTER TABLE größe ADD x INT", "", "größe", "ADD x INT"},
		{"ALTER TABLE `alter table x` ADD x INT", "", "alter table x", "ADD x INT"},
		{"ALTER ONLINE TABLE t ADD x INT", "", "t", "ADD x INT"},
		{"alter offline ignore table t ADD x INT", "", "t", "ADD x INT"},
		{"ALTER TABLE IF EXISTS t NOWAIT DROP b", "", "t", "NOWAIT DROP b"},
		{"\n ALTER\n\tTABLE\r\nsch\n.\ntbl\n  ADD x INT,\n  ADD y INT\n", "sch", "tbl", "ADD x INT,\n  ADD y INT\n"},
		{"-- ticket 12\nALTER TABLE t # why\n ADD x INT -- end", "", "t", "# why\n ADD x INT -- end"},
		{"/* a, b */ALTER/**/TABLE/**/t/**/ADD x INT;", "", "t", "/**/ADD x INT;"},
		{"ALTER TABLE t /*!80000 ADD x INT */", "", "t", "/*!80000 ADD x INT */"},
		{"ALTER TABLE t", "", "t", ""},
		{"ALTER TABLE t;", "", "t", ";"},
		{"ADD x INT", "", "", "ADD x INT"},
		{"  ADD x INT ", "", "", "  ADD x INT "},
		{"ALTER COLUMN c SET DEFAULT 7", "", "", "ALTER COLUMN c SET DEFAULT 7"},
		{"ALTER `table` SET DEFAULT 7", "", "", "ALTER `table` SET DEFAULT 7"},
		{"ADD x VARCHAR(40) DEFAULT 'alter table a.b drop c'", "", "", "ADD x VARCHAR(40) DEFAULT 'alter table a.b drop c'"},
		{"", "", "", ""},
	} {
		parser := parsed(t, test.text)
		assert.Equal(t, test.schema, parser.GetExplicitSchema(), test.text)
		assert.Equal(t, test.table, parser.GetExplicitTable(), test.text)
		assert.Equal(t, test.schema != "", parser.HasExplicitSchema(), test.text)
		assert.Equal(t, test.table != "", parser.HasExplicitTable(), test.text)
		assert.Equal(t, test.options, parser.GetAlterStatementOptions(), test.text)
		assert.NoError(t, parser.Refusal(), test.text)
	}
}

func TestRenamedColumnsAreFoundInEveryForm(t *testing.T) {
	for _, test := range []struct {
		text    string
		renames map[string]string
	}{
		{"CHANGE a b INT", map[string]string{"a": "b"}},
		{"change column a b int not null after c", map[string]string{"a": "b"}},
		{"CHANGE COLUMN IF EXISTS a b INT", map[string]string{"a": "b"}},
		{"CHANGE `a b` `c``d` INT, CHANGE \"e\" f INT", map[string]string{"a b": "c`d", "e": "f"}},
		{"CHANGE `old, (name` `drop x` INT", map[string]string{"old, (name": "drop x"}},
		{"CHANGE /* the */ a -- old\n b INT", map[string]string{"a": "b"}},
		{"RENAME COLUMN a TO b", map[string]string{"a": "b"}},
		{"rename column `a`to`b`", map[string]string{"a": "b"}},
		{"RENAME COLUMN IF EXISTS a TO b", map[string]string{"a": "b"}},
		{"RENAME COLUMN a TO b, RENAME COLUMN b TO a", map[string]string{"a": "b", "b": "a"}},
		{"CHANGE a b INT, RENAME COLUMN b TO c, CHANGE c d INT", map[string]string{"a": "b", "b": "c", "c": "d"}},
		{"CHANGE a a BIGINT, CHANGE `b` b BIGINT, RENAME COLUMN c TO c", map[string]string{}},
		{"CHANGE Name name TEXT, RENAME COLUMN Ö TO ö", map[string]string{}},
		{"CHANGE Name alias TEXT", map[string]string{"Name": "alias"}},
		{"CHANGE t.a b INT", map[string]string{"a": "b"}},
		{"/*! CHANGE a b INT */", map[string]string{"a": "b"}},
		{"ADD change_a INT, MODIFY `change` INT, RENAME INDEX a TO b, RENAME KEY c TO d", map[string]string{}},
		{"ADD z INT COMMENT \"change a b int\", ADD y INT", map[string]string{}},
		{"ADD z INT COMMENT 'it''s, change a b int', ADD y INT DEFAULT '\\', change c d int'", map[string]string{}},
		{"ADD z VARCHAR(90) DEFAULT ('x, change a b int'), ADD CHECK (z <> ', rename column a to b')", map[string]string{}},
		{"ADD z INT /* , CHANGE a b INT */, ADD y INT -- , CHANGE a b INT\n, ADD x INT # , CHANGE a b INT", map[string]string{}},
		{"ADD COLUMN (a INT, change INT)", map[string]string{}},
	} {
		parser := parsed(t, test.text)
		assert.Equal(t, test.renames, parser.GetNonTrivialRenames(), test.text)
		assert.Equal(t, len(test.renames) > 0, parser.HasNonTrivialRenames(), test.text)
		assert.Empty(t, parser.DroppedColumnsMap(), test.text)
		assert.False(t, parser.IsRenameTable(), test.text)
	}
}

func TestARealColumnIsLookedUpIgnoringCase(t *testing.T) {
	parser := parsed(t, "CHANGE Name alias TEXT, DROP COLUMN Größe")

	newName, renamed := parser.RenamedColumn("name")
	assert.True(t, renamed)
	assert.Equal(t, "alias", newName)
	assert.True(t, parser.IsDroppedColumn("GRÖßE"))

	_, renamed = parser.RenamedColumn("alias")
	assert.False(t, renamed)
	assert.False(t, parser.IsDroppedColumn("name"))
}

func TestDroppedColumnsAreTellApartFromOtherDrops(t *testing.T) {
	for _, test := range []struct {
		text    string
		dropped map[string]bool
	}{
		{"DROP b", map[string]bool{"b": true}},
		{"drop column b", map[string]bool{"b": true}},
		{"DROP COLUMN IF EXISTS `b c`", map[string]bool{"b c": true}},
		{"DROP IF EXISTS b", map[string]bool{"b": true}},
		{"DROP b CASCADE, DROP COLUMN c RESTRICT", map[string]bool{"b": true, "c": true}},
		{"DROP `index`, DROP COLUMN `primary`, DROP `check`", map[string]bool{"index": true, "primary": true, "check": true}},
		{"DROP b, ADD b INT", map[string]bool{"b": true}},
		{"DROP b PARTITION BY HASH (a) PARTITIONS 4", map[string]bool{"b": true}},
		{"DROP b REMOVE PARTITIONING", map[string]bool{"b": true}},
		{"DROP /* no more */ b /* gone */;", map[string]bool{"b": true}},
		{"WAIT 5 DROP b", map[string]bool{"b": true}},
		{"DROP INDEX b, DROP KEY c, DROP PRIMARY KEY, DROP FOREIGN KEY d, DROP CONSTRAINT e, DROP CHECK f", map[string]bool{}},
		{"DROP INDEX IF EXISTS b, DROP CONSTRAINT IF EXISTS c", map[string]bool{}},
		{"DROP SYSTEM VERSIONING, DROP PERIOD FOR p", map[string]bool{}},
		{"ALTER COLUMN b DROP DEFAULT, ALTER c DROP DEFAULT", map[string]bool{}},
		{"ADD x VARCHAR(20) DEFAULT 'x, drop a', ADD y TEXT COMMENT \", drop b\"", map[string]bool{}},
		{"ADD x TEXT DEFAULT (concat('(', \")\", ', drop a')), ADD `, drop b` INT", map[string]bool{}},
	} {
		parser := parsed(t, test.text)
		assert.Equal(t, test.dropped, parser.DroppedColumnsMap(), test.text)
		assert.Empty(t, parser.GetNonTrivialRenames(), test.text)
		assert.NoError(t, parser.Refusal(), test.text)
	}
}

func TestTableRenamesAreFoundInEveryForm(t *testing.T) {
	for text, expected := range map[string]bool{
		"RENAME x":                                       true,
		"RENAME TO x":                                    true,
		"rename as `x y`":                                true,
		"RENAME = x":                                     true,
		"ADD a INT, RENAME other.x":                      true,
		"ALTER TABLE t RENAME `column`":                  true,
		"RENAME TABLE a TO b":                            true,
		"RENAME COLUMN a TO b":                           false,
		"RENAME INDEX a TO b":                            false,
		"RENAME KEY a TO b":                              false,
		"ADD `rename` INT":                               false,
		"ADD a INT COMMENT 'rename to x', ADD b INT":     false,
		"ADD a ENUM('x, rename to y', \", rename z\")":   false,
		"ADD a INT /* , rename to x */":                  false,
		"COMMENT = 'rename', ENGINE = InnoDB":            false,
		"ADD INDEX `rename` (a), MODIFY COLUMN `to` INT": false,
	} {
		assert.Equal(t, expected, parsed(t, text).IsRenameTable(), text)
	}
}

func TestAutoIncrementCountsAsATableOptionOnly(t *testing.T) {
	for text, expected := range map[string]bool{
		"AUTO_INCREMENT=7":                                        true,
		"auto_increment 7":                                        true,
		"ADD a INT, AUTO_INCREMENT = 7":                           true,
		"ENGINE=InnoDB AUTO_INCREMENT=7 COMMENT='x'":              true,
		"COMMENT 'x' AUTO_INCREMENT 7":                            true,
		"ROW_FORMAT=DYNAMIC, AUTO_INCREMENT/* at */=/* least */7": true,
		"AUTO_INCREMENT=0x10 PARTITION BY HASH (id)":              true,
		"ADD id INT AUTO_INCREMENT PRIMARY KEY":                   false,
		"MODIFY id BIGINT NOT NULL AUTO_INCREMENT":                false,
		"CHANGE id id BIGINT AUTO_INCREMENT, ENGINE=InnoDB":       false,
		"COMMENT='auto_increment=7'":                              false,
		"COMMENT=\"x\", ADD `auto_increment` INT DEFAULT 7":       false,
		"ENGINE=InnoDB /* AUTO_INCREMENT=7 */":                    false,
		"ORDER BY auto_increment":                                 false,
	} {
		assert.Equal(t, expected, parsed(t, text).IsAutoIncrementDefined(), text)
	}
}

func TestAlgorithmAndLockAreReported(t *testing.T) {
	for _, test := range []struct{ text, algorithm, lock string }{
		{"ADD a INT, ALGORITHM=INSTANT", "INSTANT", ""},
		{"algorithm inplace, LOCK = none, ADD a INT", "INPLACE", "NONE"},
		{"ALGORITHM=COPY, ALGORITHM=DEFAULT", "DEFAULT", ""},
		{"ADD `algorithm` INT, ADD lock_id INT COMMENT 'LOCK=NONE'", "", ""},
	} {
		parser := parsed(t, test.text)
		assert.Equal(t, test.algorithm, parser.Algorithm(), test.text)
		assert.Equal(t, test.lock, parser.Lock(), test.text)
	}
}

func TestActionsThatAreNotInterpretedPassUntouched(t *testing.T) {
	for _, text := range []string{
		"ADD COLUMN `a` DECIMAL(10,2) UNSIGNED NOT NULL DEFAULT -1.5e-3 AFTER `b`",
		"ADD UNIQUE KEY uk (a(10), b DESC) USING BTREE COMMENT 'x'",
		"ADD CONSTRAINT `c` CHECK (a > 0 AND (b IN (1, 2) OR c = _utf8mb4 x'4142'))",
		"ADD FULLTEXT INDEX (t) WITH PARSER ngram, ADD SPATIAL INDEX (g)",
		"MODIFY a ENUM('a','b'',c',\"d\\\"e\") CHARACTER SET latin1",
		"ADD g INT GENERATED ALWAYS AS (json_extract(doc, '$.a[0]')) STORED",
		"ORDER BY a, b DESC",
		"CONVERT TO CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_ai_ci",
		"DISABLE KEYS, ENABLE KEYS, FORCE",
		"PARTITION BY RANGE (id) (PARTITION p0 VALUES LESS THAN (10), PARTITION p1 VALUES LESS THAN MAXVALUE)",
		"ADD PARTITION (PARTITION p2 VALUES IN (1,2))",
		"REORGANIZE PARTITION p0 INTO (PARTITION n0 VALUES LESS THAN (5), PARTITION n1 VALUES LESS THAN (10))",
		"REMOVE PARTITIONING",
		"ENGINE=InnoDB ROW_FORMAT=COMPRESSED KEY_BLOCK_SIZE=8",
		"`PAGE_CHECKSUM`=1",
		"ALTER INDEX i INVISIBLE, ALTER CHECK c NOT ENFORCED",
		"ADD a INT DEFAULT (1--1)",
		"ADD a INT DEFAULT N'x' /*!80023 INVISIBLE */",
		"ADD a INT ; \n -- done",
		"",
		" /* nothing */ ",
	} {
		parser := parsed(t, text)
		assert.Equal(t, text, parser.GetAlterStatementOptions())
		assert.NoError(t, parser.Refusal(), text)
		assert.Empty(t, parser.GetNonTrivialRenames(), text)
		assert.Empty(t, parser.DroppedColumnsMap(), text)
		assert.False(t, parser.IsRenameTable(), text)
		assert.False(t, parser.IsAutoIncrementDefined(), text)
	}
}

func TestMalformedTextIsRefusedWithItsPlace(t *testing.T) {
	for _, test := range []struct {
		text         string
		line, column int
		problem      string
	}{
		{"ADD a INT COMMENT 'abc", 1, 19, "string that begins here is not closed"},
		{"ADD a INT COMMENT 'abc\\'", 1, 19, "string that begins here is not closed"},
		{"ADD a INT,\nADD ü TEXT COMMENT \"abc", 2, 20, "string that begins here is not closed"},
		{"DROP `b", 1, 6, "quoted name that begins here is not closed"},
		{"ADD a INT /* why", 1, 11, "comment that begins here is not closed"},
		{"ADD a INT /*!80000 INVISIBLE", 1, 11, "executable comment that begins here is not closed"},
		{"ADD a INT /*! /*!80000 x */ */", 1, 15, "executable comment begins within another"},
		{"ADD a INT /*!80000 COMMENT '*/' */", 1, 28, "comment mark stands within quotes"},
		{"ADD a DECIMAL(10,(2)", 1, 14, "parenthesis that opens here is not closed"},
		{"ADD a DECIMAL(10; DROP b", 1, 14, "parenthesis that opens here is not closed"},
		{"ADD a INT), DROP b", 1, 10, "has no opening one"},
		{"ADD a INT,, DROP b", 1, 11, "missing before this comma"},
		{", DROP b", 1, 1, "missing before this comma"},
		{"DROP b, ", 1, 7, "missing after this comma"},
		{"DROP b,;", 1, 7, "missing after this comma"},
		{"ALTER TABLE", 1, 12, "needs a table's name"},
		{"ALTER TABLE a.b.c ADD x INT", 1, 13, "needs a table's name"},
		{"ALTER TABLE 'a' ADD x INT", 1, 13, "needs a table's name"},
		{"ALTER TABLE my-table ADD x INT", 1, 15, "must begin with a keyword"},
		{"ALTER TABLE a ADD x INT, ALTER TABLE b ADD x INT", 1, 26, "second ALTER TABLE"},
		{"ALTER /*!50000 IGNORE */ TABLE a ADD x INT", 1, 7, "must not stand before the table's name"},
		{"CHANGE a", 1, 9, "lacks a name"},
		{"CHANGE `a``b` 'c' INT", 1, 15, "lacks a name"},
		{"RENAME COLUMN a b", 1, 17, "lacks a name"},
		{"RENAME TO", 1, 10, "lacks a name"},
		{"RENAME COLUMN a TO ``", 1, 20, "lacks a name"},
		{"ALTER TABLE s.`` ADD a INT", 1, 13, "needs a table's name"},
		{"DROP CHECK", 1, 11, "lacks a name"},
		{"DROP COLUMN, ADD a INT", 1, 12, "lacks a name"},
	} {
		parser := NewAlterTableParser()
		err := parser.ParseAlterStatement(test.text)

		var syntax *AlterSyntaxError
		require.ErrorAs(t, err, &syntax, test.text)
		assert.Equal(t, [2]int{test.line, test.column}, [2]int{syntax.Line, syntax.Column}, "%s: %v", test.text, err)
		assert.Contains(t, err.Error(), test.problem, test.text)
		assert.Equal(t, err, parser.Err())
		assert.Equal(t, err, NewParserFromAlterStatement(test.text).Err())
	}
}

func TestWhatMustNotRunOnAGhostTableIsRefusedWithItsReason(t *testing.T) {
	for text, reason := range map[string]RefusalReason{
		"ADD a INT; DROP TABLE b":                           RefusedMultipleStatements,
		"ALTER TABLE t ADD a INT;; ":                        RefusedMultipleStatements,
		"DISCARD TABLESPACE":                                RefusedTablespace,
		"IMPORT TABLESPACE":                                 RefusedTablespace,
		"DISCARD PARTITION p0 TABLESPACE":                   RefusedTablespace,
		"EXCHANGE PARTITION p0 WITH TABLE x":                RefusedPartitionExchange,
		"CONVERT PARTITION p0 TO TABLE x":                   RefusedPartitionExchange,
		"ALGORITHM=COPY, EXCHANGE PARTITION p WITH TABLE x": RefusedPartitionExchange,
		"DROP PARTITION p0, p1":                             RefusedPartitionData,
		"TRUNCATE PARTITION ALL":                            RefusedPartitionData,
		"CHECK PARTITION p0":                                RefusedPartitionMaintenance,
		"SECONDARY_LOAD":                                    RefusedSecondaryEngine,
		"ADD a INT /*!80000 , DROP b */":                    RefusedConditionalComment,
		"CHANGE a /*M! b */ c INT":                          RefusedConditionalComment,
		"ADD a INT /*!99999 , DISCARD TABLESPACE */":        RefusedTablespace,
	} {
		err := parsed(t, text).Refusal()

		var refusal *RefusedAlterError
		require.ErrorAs(t, err, &refusal, text)
		assert.Equal(t, reason, refusal.Reason, text)
		assert.Contains(t, err.Error(), reason.String())
		assert.NotEmpty(t, refusal.Action, text)
	}
}

func TestAParserForgetsWhatItParsedBefore(t *testing.T) {
	parser := parsed(t, "ALTER TABLE s.t CHANGE a b INT, DROP c, RENAME x, AUTO_INCREMENT=3, ALGORITHM=COPY; DROP TABLE x")
	require.Error(t, parser.Refusal())

	require.NoError(t, parser.ParseAlterStatement("ADD d INT"))

	assert.Equal(t, "ADD d INT", parser.GetAlterStatementOptions())
	assert.False(t, parser.HasExplicitSchema() || parser.HasExplicitTable() || parser.HasNonTrivialRenames() ||
		parser.IsRenameTable() || parser.IsAutoIncrementDefined())
	assert.Empty(t, parser.DroppedColumnsMap())
	assert.Empty(t, parser.Algorithm())
	assert.NoError(t, parser.Refusal())
}

func TestMapsHandedOutMayBeChangedByTheCaller(t *testing.T) {
	parser := parsed(t, "CHANGE a b INT, DROP c")
	clear(parser.GetNonTrivialRenames())
	clear(parser.DroppedColumnsMap())

	assert.True(t, parser.HasNonTrivialRenames())
	assert.Len(t, parser.DroppedColumnsMap(), 1)
}

func TestAHalfReadStatementStillTellsItsTable(t *testing.T) {
	parser := NewParserFromAlterStatement("ALTER TABLE s.t ADD c TEXT COMMENT 'open")

	require.Error(t, parser.Err())
	assert.Equal(t, "s", parser.GetExplicitSchema())
	assert.Equal(t, "t", parser.GetExplicitTable())
	assert.Equal(t, "ADD c TEXT COMMENT 'open", parser.GetAlterStatementOptions())
}

func TestLongTextIsCutInMessages(t *testing.T) {
	err := NewAlterTableParser().ParseAlterStatement("ADD a INT COMMENT '" + strings.Repeat("ü", 500))

	var syntax *AlterSyntaxError
	require.ErrorAs(t, err, &syntax)
	assert.Equal(t, "'"+strings.Repeat("ü", 39)+"…", syntax.Near)
}
