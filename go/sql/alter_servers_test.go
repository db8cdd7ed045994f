package sql

import (
	gosql "database/sql"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/github/gh-ost/go/internal/testserver"
)

// The columns of the table that is altered, each with a value of its own, by which it is known again under another name.
var alteredColumns = map[string]int64{"id": 11, "a": 12, "b": 13, "Name": 14, "x y": 15, "c`d": 16, "größe": 17, "1st": 18}

const (
	onBoth = iota
	onMySQL
	onMariaDB
)

// TestServersReadAlterTextAsTheParserDoes runs ALTERs and holds what became of the columns against what the parser says of them.
func TestServersReadAlterTextAsTheParserDoes(t *testing.T) {
	tests := []struct {
		on   int
		text string
	}{
		{onBoth, "CHANGE Name alias INT"},
		{onBoth, "CHANGE Name NAME INT, CHANGE COLUMN GRÖßE `Größe` BIGINT"},
		{onBoth, "CHANGE a b INT, CHANGE b a INT"},
		{onBoth, "CHANGE `a`b1 INT,CHANGE/**/`x y`/* to */`y,z`INT,CHANGE`c``d` `)` INT"},
		{onBoth, "CHANGE a b INT, CHANGE b `c` INT, DROP Name"},
		{onBoth, "RENAME COLUMN a TO b, RENAME COLUMN b TO a"},
		{onBoth, "RENAME\nCOLUMN -- a\n a # to\n TO b, DROP B"},
		{onBoth, "DROP a, DROP COLUMN `x y` RESTRICT, drop 1st CASCADE"},
		{onBoth, "DROP a, ADD a INT"},
		{onBoth, "CHANGE 1st 2nd INT, CHANGE `x y` 1e INT"},
		{onBoth, `ADD z INT COMMENT "change a b1 int", ADD y VARCHAR(20) DEFAULT 'x, drop a'`},
		{onBoth, `ADD z VARCHAR(40) DEFAULT 'it''s, drop a' COMMENT 'q\', drop b', ADD y VARCHAR(40) DEFAULT "\\" "', drop a", DROP Name`},
		{onBoth, "ADD z INT /* , DROP a */ DEFAULT (1--1), ADD y INT -- , DROP a\n, ADD x INT # , DROP a"},
		{onBoth, "ADD z INT /*! , DROP a */"},
		{onBoth, "ADD z INT /*! /* inner */ , DROP a */"},
		{onBoth, "ADD z VARCHAR(20) DEFAULT (concat('(', \")\", ', drop a')), ADD CHECK (z <> '), drop a')"},
		{onBoth, "ADD COLUMN (z INT, `drop a` INT), ADD UNIQUE `drop b` (id, a), ADD INDEX (b)"},
		{onBoth, "ALTER COLUMN a DROP DEFAULT, ALTER b SET DEFAULT 5, MODIFY COLUMN `1st` BIGINT"},
		{onBoth, "DROP a PARTITION BY HASH (id) PARTITIONS 2"},
		{onBoth, "COMMENT='auto_increment=5, drop a' ROW_FORMAT=DYNAMIC, ALGORITHM=COPY, LOCK=SHARED"},
		{onBoth, "ALGORITHM=COPY, DROP a;"},
		{onBoth, "ORDER BY a DESC"},
		{onMySQL, "ADD z INT /*!80023 INVISIBLE */, ADD y INT DEFAULT (0x1F + .5e1)"},
		{onMySQL, "ADD z VARCHAR(20) DEFAULT _utf8mb4'x, drop a', ADD y BLOB DEFAULT (x'4142')"},
		{onMariaDB, "DROP IF EXISTS a, DROP COLUMN IF EXISTS missing, CHANGE COLUMN IF EXISTS b c INT, RENAME COLUMN IF EXISTS Name TO n"},
		{onMariaDB, "NOWAIT DROP a"},
		{onMariaDB, "WAIT 5 CHANGE a a1 INT"},
		{onMariaDB, "ADD SYSTEM VERSIONING"},
	}
	testserver.Both(t, func(t *testing.T, server *testserver.Server) {
		conn := session(t, server, server.Schema(t), "+00:00", strictMode)
		other := map[testserver.Flavor]int{testserver.MySQL: onMariaDB, testserver.MariaDB: onMySQL}[server.Flavor]
		for _, test := range tests {
			if test.on == other {
				continue
			}
			createAlteredTable(t, conn)

			mustExec(t, conn, "ALTER TABLE t "+test.text)

			parser := parsed(t, test.text)
			require.NoError(t, parser.Refusal(), test.text)
			expected := map[int64]string{}
			for name, value := range alteredColumns {
				if newName, renamed := parser.RenamedColumn(name); renamed {
					expected[value] = newName
				} else if !parser.IsDroppedColumn(name) {
					expected[value] = name
				}
			}
			found := findAlteredColumns(t, conn)
			for value, name := range expected {
				if strings.EqualFold(name, found[value]) {
					expected[value] = found[value] // a change of case is not reported
				}
			}
			assert.Equal(t, expected, found, test.text)
		}
	})
}

func createAlteredTable(t *testing.T, conn *gosql.Conn) {
	t.Helper()
	var definitions []string
	var values []any
	for name, value := range alteredColumns {
		definitions = append(definitions, EscapeName(name)+" INT")
		values = append(values, value)
	}
	mustExec(t, conn, "DROP TABLE IF EXISTS t")
	mustExec(t, conn, "CREATE TABLE t ("+strings.Join(definitions, ", ")+", PRIMARY KEY (id))")
	mustExec(t, conn, "INSERT INTO t VALUES (?"+strings.Repeat(", ?", len(values)-1)+")", values...)
}

// findAlteredColumns returns the names under which the values of alteredColumns are found.
func findAlteredColumns(t *testing.T, conn *gosql.Conn) map[int64]string {
	t.Helper()
	rows, err := conn.QueryContext(t.Context(), "SELECT * FROM t")
	require.NoError(t, err)
	defer rows.Close()
	names, err := rows.Columns()
	require.NoError(t, err)
	contents := make([]gosql.NullString, len(names))
	targets := make([]any, len(names))
	for i := range contents {
		targets[i] = &contents[i]
	}
	require.True(t, rows.Next(), "the row is gone: %v", rows.Err())
	require.NoError(t, rows.Scan(targets...))

	found := map[int64]string{}
	for i, name := range names {
		for _, value := range alteredColumns {
			if contents[i].String == strconv.FormatInt(value, 10) {
				found[value] = name
			}
		}
	}
	return found
}
