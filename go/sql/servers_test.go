package sql

import (
	"context"
	gosql "database/sql"
	"fmt"
	"os"
	"sort"
	"strings"
	"testing"

	"github.com/go-sql-driver/mysql"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/github/gh-ost/go/internal/testserver"
)

func TestMain(m *testing.M) { os.Exit(testserver.Main(m, testserver.Options{})) }

// The settings of the sessions that the statements are for. The zone is that of the native ALTER and of the copy.
const (
	strictMode = "STRICT_ALL_TABLES,NO_AUTO_VALUE_ON_ZERO"
	testZone   = "Test/Clock"
)

// testClock makes a zone whose clock skips 02:00–03:00 on 2023-03-26 and repeats it on 2023-10-29.
const testClock = "" +
	"INSERT IGNORE INTO mysql.time_zone (Time_zone_id, Use_leap_seconds) VALUES (4711, 'N');" +
	"INSERT IGNORE INTO mysql.time_zone_name (Name, Time_zone_id) VALUES ('Test/Clock', 4711);" +
	"INSERT IGNORE INTO mysql.time_zone_transition_type (Time_zone_id, Transition_type_id, `Offset`, Is_DST, Abbreviation) VALUES (4711, 0, 3600, 0, 'NT'), (4711, 1, 7200, 1, 'ST');" +
	"INSERT IGNORE INTO mysql.time_zone_transition (Time_zone_id, Transition_time, Transition_type_id) VALUES (4711, -2000000000, 0), (4711, 1679792400, 1), (4711, 1698541200, 0)"

// session opens a connection like the project's own for walking, copying and applying.
func session(t *testing.T, server *testserver.Server, schema, timeZone, sqlMode string) *gosql.Conn {
	t.Helper()
	config := server.AdminConfig(schema)
	config.InterpolateParams = true
	config.MaxAllowedPacket = 0
	connector, err := mysql.NewConnector(config)
	require.NoError(t, err)
	db := gosql.OpenDB(connector)
	t.Cleanup(func() { assert.NoError(t, db.Close()) })
	conn, err := db.Conn(t.Context())
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, conn.Close()) })
	for _, statement := range []string{"SET NAMES utf8mb4", "SET character_set_results = NULL", fmt.Sprintf("SET time_zone = '%s'", timeZone), fmt.Sprintf("SET sql_mode = '%s'", sqlMode)} {
		mustExec(t, conn, statement)
	}
	return conn
}

func mustExec(t *testing.T, conn *gosql.Conn, query string, args ...any) {
	t.Helper()
	_, err := conn.ExecContext(t.Context(), query, args...)
	require.NoError(t, err, query)
}

// describe reads a table's columns from information_schema.
func describe(t *testing.T, conn *gosql.Conn, schema, table string) []Column {
	t.Helper()
	rows, err := conn.QueryContext(t.Context(), `SELECT column_name, column_type, IFNULL(character_set_name, ''), IFNULL(collation_name, ''), is_nullable, ordinal_position - 1
		FROM information_schema.columns WHERE table_schema = ? AND table_name = ? ORDER BY ordinal_position`, schema, table)
	require.NoError(t, err)
	defer rows.Close()
	var columns []Column
	for rows.Next() {
		var column Column
		var columnType, nullable string
		require.NoError(t, rows.Scan(&column.Name, &columnType, &column.Charset, &column.Collation, &nullable, &column.Ordinal))
		column.Type, err = ParseColumnType(columnType)
		require.NoError(t, err)
		column.Nullable = nullable == "YES"
		columns = append(columns, column)
	}
	require.NoError(t, rows.Err())
	return columns
}

func pairColumns(source, target []Column) []SharedColumn {
	shared := make([]SharedColumn, len(source))
	for i := range source {
		shared[i] = SharedColumn{Source: source[i], Target: target[i]}
	}
	return shared
}

func primaryKey(columns ...Column) *UniqueKey {
	return &UniqueKey{Name: "PRIMARY", NameInGhostTable: "PRIMARY", Columns: *NewColumnList(columns)}
}

// exactly is an expression that shows a column's value so that no two values look alike.
func exactly(column Column) string {
	name := EscapeName(column.Name)
	switch kind := column.Type; {
	case kind.IsFloat():
		return "CONCAT(" + name + " + 0e0)"
	case kind.Kind == KindEnum || kind.Kind == KindSet:
		return "CONCAT(" + name + " + 0, ':', HEX(" + name + "))"
	case kind.IsCharacter() || kind.IsBinary() || kind.Kind == KindGeometry || kind.Kind == KindVector || kind.Kind == KindBit:
		return "HEX(" + name + ")"
	default:
		return "CONCAT(" + name + ")"
	}
}

// contents returns a table's rows as texts, in the texts' order.
func contents(t *testing.T, conn *gosql.Conn, table string, columns []Column) []string {
	t.Helper()
	shown := make([]string, len(columns))
	for i, column := range columns {
		shown[i] = "IFNULL(" + exactly(column) + ", 'NULL')"
	}
	rows, err := conn.QueryContext(t.Context(), fmt.Sprintf("SELECT CONCAT_WS('|', %s) FROM %s", strings.Join(shown, ", "), table))
	require.NoError(t, err)
	defer rows.Close()
	var result []string
	for rows.Next() {
		var row string
		require.NoError(t, rows.Scan(&row))
		result = append(result, row)
	}
	sort.Strings(result)
	require.NoError(t, rows.Err())
	return result
}

// conversion is a column that the ALTER keeps or changes, with values that are on some edge.
type conversion struct {
	from   string   // the column's definition
	to     string   // its new definition; "" keeps it
	values []string // SQL expressions
	only   testserver.Flavor
	mode   string // the mode of the ALTER and of the applying session; "" is strictMode
}

func (c conversion) String() string {
	if c.to == "" {
		return c.from
	}
	return c.from + " to " + c.to
}

func TestValuesFromTheBinaryLogArriveAsANativeAlterConvertsThem(t *testing.T) {
	testserver.Both(t, func(t *testing.T, server *testserver.Server) {
		schema := server.Schema(t)
		server.Exec(t, testClock)
		loose := session(t, server, schema, testZone, "")
		zone := zoneOf(t, loose)

		var cases []conversion
		for _, c := range conversions {
			if c.only == "" || c.only == server.Flavor {
				cases = append(cases, c)
			}
		}
		start := binlogEnd(t, server, server.DB(t))
		for i, c := range cases {
			fill(t, loose, fmt.Sprintf("o%d", i), c)
		}
		inserted := insertedRows(t, server, schema, start, binlogEnd(t, server, server.DB(t)))

		for i, c := range cases {
			t.Run(c.String(), func(t *testing.T) {
				original := fmt.Sprintf("o%d", i)
				mode := c.mode
				if mode == "" {
					mode = strictMode
				}
				native := session(t, server, schema, zone, mode)
				applying := session(t, server, schema, "+00:00", mode)
				alter := "ENGINE = InnoDB"
				if c.to != "" {
					alter = "MODIFY v " + c.to
				}
				for _, table := range []string{"native", "applied", "copied"} {
					mustExec(t, native, fmt.Sprintf("CREATE TABLE %s_%s LIKE %s", original, table, original))
				}
				mustExec(t, loose, fmt.Sprintf("INSERT INTO %s_native SELECT * FROM %s", original, original))
				for _, table := range []string{"native", "applied", "copied"} {
					mustExec(t, native, fmt.Sprintf("ALTER TABLE %s_%s %s", original, table, alter))
				}
				source, target := describe(t, native, schema, original), describe(t, native, schema, original+"_applied")
				shared := pairColumns(source, target)
				expected := contents(t, applying, original+"_native", target)
				assert.Len(t, expected, len(c.values))

				utcSessions := TimeZones{Server: zone, OffsetLiterals: server.Flavor == testserver.MySQL}
				localSessions := utcSessions
				localSessions.Local = true
				for zones, session := range map[TimeZones]*gosql.Conn{utcSessions: applying, localSessions: native} {
					statements, err := NewApplyStatements(TableName{schema, original + "_applied"}, shared, primaryKey(source[0]), zones)
					require.NoError(t, err)
					query, args, err := statements.Replace(inserted[original])
					require.NoError(t, err)
					mustExec(t, session, query, args...)
					assert.Equal(t, expected, contents(t, applying, original+"_applied", target), "applied with %+v\n%s\n%q", zones, query, args)

					mustExec(t, applying, "TRUNCATE TABLE "+original+"_copied")
					copying, err := NewCopyStatements(TableName{schema, original}, TableName{schema, original + "_copied"}, shared, primaryKey(source[0]), "LOCK IN SHARE MODE", zones)
					require.NoError(t, err)
					query, args, err = copying.InsertChunk(Bound{int64(0)}, true, Bound{int64(1000)})
					require.NoError(t, err)
					mustExec(t, session, query, args...)
					assert.Equal(t, expected, contents(t, applying, original+"_copied", target), "copied with %+v\n%s", zones, query)
				}
			})
		}
	})
}

func fill(t *testing.T, loose *gosql.Conn, table string, c conversion) {
	t.Helper()
	mustExec(t, loose, fmt.Sprintf("CREATE TABLE %s (id int PRIMARY KEY, v %s)", table, c.from))
	for id, value := range c.values {
		mustExec(t, loose, fmt.Sprintf("INSERT INTO %s VALUES (%d, %s)", table, id, value))
	}
}

func zoneOf(t *testing.T, conn *gosql.Conn) string {
	t.Helper()
	var zone string
	require.NoError(t, conn.QueryRowContext(context.WithoutCancel(t.Context()), "SELECT @@time_zone").Scan(&zone))
	return zone
}
