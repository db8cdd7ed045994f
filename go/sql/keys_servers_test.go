package sql

import (
	gosql "database/sql"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/github/gh-ost/go/internal/testserver"
)

// keyCase is a table with a key, filled with edge values, that is walked, copied and emptied by its key.
type keyCase struct {
	name    string
	columns []string // definitions of the key's columns k0, k1, …
	to      []string // their new definitions; nil keeps them
	rows    []string // SQL for the key's values
	only    testserver.Flavor
	mode    string
	zone    string
	unique  bool // a UNIQUE key u instead of the primary one
}

var keyCases = []keyCase{
	{name: "unsigned bigint", columns: []string{"bigint unsigned"}, rows: []string{"0", "1", "9223372036854775807", "9223372036854775808", "18446744073709551615"}},
	{name: "signed bigint", columns: []string{"bigint"}, rows: []string{"-9223372036854775808", "-1", "0", "9223372036854775807"}},
	{name: "mediumint unsigned to bigint", columns: []string{"mediumint unsigned"}, to: []string{"bigint"}, rows: []string{"0", "8388608", "16777215"}},
	{name: "int to varchar", columns: []string{"int"}, to: []string{"varchar(20)"}, rows: []string{"-5", "0", "7", "10", "100"}},
	{name: "decimal", columns: []string{"decimal(65,30)"}, rows: []string{"0", "1e-30", "2e-30", "-1e-30", "99999999999999999999999999999999999.999999999999999999999999999999", "99999999999999999999999999999999999.999999999999999999999999999998"}},
	{name: "double", columns: []string{"double"}, rows: []string{"0.1", "1.1", "-1e300", "5e-324", "1e22", "0", "123456789.123456789"}},
	{name: "double to decimal", columns: []string{"double"}, to: []string{"decimal(20,3)"}, rows: []string{"0.1", "1.1", "2"}},
	{name: "bit", columns: []string{"bit(64)"}, rows: []string{"0", "1", "9223372036854775808", "18446744073709551615", "15932"}},
	{name: "year", columns: []string{"year"}, rows: []string{"0", "1901", "2000", "2155"}},
	{name: "date", columns: []string{"date"}, rows: []string{"'1000-01-01'", "'2020-02-29'", "'9999-12-31'"}},
	{name: "zero and partial dates", columns: []string{"date", "int"}, mode: zeroDates, rows: []string{"'0000-00-00', 1", "'0000-00-00', 2", "'2020-00-00', 1", "'2020-01-00', 1", "'2020-01-01', 1"}},
	{name: "time", columns: []string{"time(6)"}, rows: []string{"'-838:59:59'", "'-00:00:00.000001'", "'00:00:00'", "'838:59:59'", "'12:00:00.5'"}},
	{name: "datetime", columns: []string{"datetime(6)"}, rows: []string{"'1000-01-01'", "'2020-01-02 03:04:05.000001'", "'2020-01-02 03:04:05.000002'", "'9999-12-31 23:59:59.999999'"}},
	{name: "timestamp in an hour that occurs twice", columns: []string{"timestamp"}, zone: "+00:00", rows: []string{"'2023-10-29 00:15:00'", "'2023-10-29 00:45:00'", "'2023-10-29 01:15:00'", "'2023-10-29 01:45:00'", "'2023-10-29 02:45:00'"}},
	{name: "binary ending in zero bytes", columns: []string{"binary(4)"}, rows: []string{"0x00000000", "0x61", "0x61006100", "0x61000001", "0x20", "0xffffffff"}},
	{name: "binary widened", columns: []string{"binary(2)"}, to: []string{"binary(4)"}, rows: []string{"0x0000", "0x61", "0x6161", "0x0061", "0xff00"}},
	{name: "binary widened, not alone", columns: []string{"binary(2)", "int"}, to: []string{"binary(4)", "int"}, rows: []string{"0x61, 1", "0x61, 2", "0x6161, 1"}},
	{name: "set reordered", columns: []string{"set('a','b','c')"}, to: []string{"set('c','b','x','a')"}, rows: []string{"''", "'a'", "'a,b'", "'a,b,c'", "'c'"}},
	{name: "varchar to char, where blanks do not count", columns: []string{"varchar(4) CHARACTER SET latin1"}, to: []string{"char(4) CHARACTER SET latin1"}, rows: []string{"''", "'a '", "'b  '", "' c'"}},
	{name: "varbinary", columns: []string{"varbinary(10)"}, rows: []string{"''", "0x00", "0x0000", "0x000000", "0x20", "0x5c27", "0xff"}},
	{name: "latin1", columns: []string{"varchar(10) CHARACTER SET latin1"}, rows: []string{"''", "'a'", "'B'", "'c'", "0xfc", "0x5c", "0x27"}},
	{name: "latin1 to utf8mb4", columns: []string{"varchar(10) CHARACTER SET latin1"}, to: []string{"varchar(10) CHARACTER SET utf8mb4"}, rows: []string{"''", "'a'", "0xfc", "0x80"}},
	{name: "ucs2", columns: []string{"char(10) CHARACTER SET ucs2"}, to: []string{"varchar(10) CHARACTER SET utf8mb4"}, rows: []string{"''", "'a'", "'ü'", "'€'", "'?'"}},
	{name: "gbk", columns: []string{"varchar(10) CHARACTER SET gbk COLLATE gbk_bin"}, rows: []string{"_gbk 0x815c", "_gbk 0x975c27", "_gbk 0x5c", "'a'"}},
	{name: "equal to the collation in the first column", columns: []string{"varchar(10) CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci", "int"},
		rows: []string{"'bob', 1", "'Bob', 2", "'BOB', 3", "'bob', 4", "'Bob', 5", "'alice', 9", "'carol', 0", "'bób', 6"}},
	{name: "enum by index", columns: []string{"enum('c','b','a','10','2') NOT NULL", "int"}, rows: []string{"'c', 1", "'c', 2", "'b', 1", "'a', 1", "'10', 5", "'2', 5", "'2', 6", "'', 1", "'', 2"}},
	{name: "enum alone", columns: []string{"enum('c','b','a')"}, rows: []string{"'c'", "'b'", "'a'", "''"}},
	{name: "enum with an empty label", columns: []string{"enum('c','','a')"}, rows: []string{"'c'", "2", "'a'", "0"}, only: testserver.MySQL},
	{name: "enum last, reordered", columns: []string{"int", "enum('x','y','z') CHARACTER SET latin1"}, to: []string{"int", "enum('z','q','y','x') CHARACTER SET utf8mb4"}, rows: []string{"1, 'x'", "1, 'y'", "1, 'z'", "2, 'z'", "2, 'x'"}},
	{name: "set", columns: []string{"set('c','b','a')", "int"}, rows: []string{"'', 1", "'c', 1", "'b', 1", "'c,b', 2", "'a', 1", "'c,b,a', 1"}},
	{name: "long set", columns: []string{"set('a','b','c','d','e','f','g','h','i','j','k','l','m')"}, rows: []string{"''", "'a'", "'m'", "'a,m'", "'b,c'"}},
	{name: "three columns", columns: []string{"int", "varchar(5)", "datetime(3)"}, rows: []string{"1, 'a', '2020-01-01'", "1, 'a', '2020-01-02'", "1, 'b', '2019-01-01'", "2, 'a', '2018-01-01'", "2, 'a', '2018-01-01 00:00:00.001'", "0, 'z', '2030-01-01'"}},
	{name: "unique key", columns: []string{"int NOT NULL", "int unsigned NOT NULL"}, unique: true, rows: []string{"-1, 0", "-1, 4294967295", "0, 1", "5, 5"}},
	{name: "names with question marks", columns: []string{"int", "varchar(10) CHARACTER SET latin1"}, rows: []string{"1, '?'", "1, '\\''", "2, '\\\\'"}},
	{name: "inet6", columns: []string{"inet6"}, rows: []string{"'::'", "'::1'", "'fe80::'", "'ffff::ffff'"}, only: testserver.MariaDB},
	{name: "uuid", columns: []string{"uuid"}, rows: []string{"'00112233-4455-1677-8899-aabbccddeeff'", "'00112234-4455-1677-8899-aabbccddeeff'", "'00112233-4456-1677-8899-aabbccddee00'", "'00112233-4455-4677-8899-aabbccddeeff'"}, only: testserver.MariaDB},
}

func (c keyCase) columnName(i int) string {
	if strings.Contains(c.name, "question marks") {
		return fmt.Sprintf("k?`%d", i)
	}
	return fmt.Sprintf("k%d", i)
}

func (c keyCase) create(table string, definitions []string) string {
	var columns, names []string
	for i, definition := range definitions {
		names = append(names, EscapeName(c.columnName(i)))
		columns = append(columns, names[i]+" "+definition)
	}
	key := "PRIMARY KEY"
	if c.unique {
		key = "UNIQUE KEY u"
	}
	return fmt.Sprintf("CREATE TABLE %s (%s, %s (%s))", table, strings.Join(columns, ", "), key, strings.Join(names, ", "))
}

func (c keyCase) key(columns []Column) *UniqueKey {
	key := primaryKey(columns...)
	if c.unique {
		key.Name, key.NameInGhostTable = "u", "u"
	}
	return key
}

func TestTablesAreWalkedCopiedAndEmptiedByTheirKey(t *testing.T) {
	testserver.Both(t, func(t *testing.T, server *testserver.Server) {
		schema := server.Schema(t)
		for i, c := range keyCases {
			if c.only != "" && c.only != server.Flavor {
				continue
			}
			t.Run(c.name, func(t *testing.T) { c.run(t, server, schema, fmt.Sprintf("k%d", i)) })
		}
	})
}

func (c keyCase) definitions() (from, to []string) {
	if c.to == nil {
		return c.columns, c.columns
	}
	return c.columns, c.to
}

func (c keyCase) run(t *testing.T, server *testserver.Server, schema, table string) {
	mode, zone := c.mode, c.zone
	if mode == "" {
		mode = strictMode
	}
	if zone == "" {
		zone = "+02:00"
	}
	loose := session(t, server, schema, zone, "")
	conn := session(t, server, schema, zone, mode)
	applying := session(t, server, schema, "+00:00", mode)
	from, to := c.definitions()
	mustExec(t, loose, c.create(table, from))
	mustExec(t, loose, c.create(table+"_ghost", to))

	start := binlogEnd(t, server, server.DB(t))
	for _, row := range c.rows {
		mustExec(t, loose, fmt.Sprintf("INSERT INTO %s VALUES (%s)", table, row))
	}
	decoded := insertedRows(t, server, schema, start, binlogEnd(t, server, server.DB(t)))[table]
	require.Len(t, decoded, len(c.rows))

	source, target := describe(t, conn, schema, table), describe(t, conn, schema, table+"_ghost")
	shared := pairColumns(source, target)
	copying, err := NewCopyStatements(TableName{schema, table}, TableName{schema, table + "_ghost"}, shared, c.key(source), "LOCK IN SHARE MODE", TimeZones{Server: zone})
	require.NoError(t, err)

	for _, chunkSize := range []int64{1, 2, 3, 100} {
		mustExec(t, conn, "DELETE FROM "+table+"_ghost")
		copied := walk(t, conn, copying, len(source), chunkSize)
		assert.EqualValues(t, len(c.rows), copied, "each row is copied once with chunks of %d", chunkSize)
		if c.to == nil {
			assert.Equal(t, contents(t, conn, table, source), contents(t, conn, table+"_ghost", source))
		}
	}

	// A second copy meets every row and changes none.
	assert.Zero(t, walk(t, conn, copying, len(source), 2))

	statements, err := NewApplyStatements(TableName{schema, table + "_ghost"}, shared, c.key(source), TimeZones{Server: zone})
	require.NoError(t, err)
	for i, row := range decoded {
		query, args, err := statements.Delete([][]any{statements.KeyValues(row)})
		require.NoError(t, err)
		affected(t, applying, 1, query, args...)
		if i+1 < len(decoded) {
			assert.Equal(t, int64(len(decoded)-i-1), count(t, conn, table+"_ghost"))
		}
	}

	walk(t, conn, copying, len(source), 100)
	keys := make([][]any, len(decoded))
	texts := map[string]bool{}
	for i, row := range decoded {
		keys[i] = statements.KeyValues(row)
		text, err := statements.KeyString(row)
		require.NoError(t, err)
		texts[text] = true
	}
	assert.Len(t, texts, len(decoded), "no two keys share a text")
	query, args, err := statements.Delete(keys)
	require.NoError(t, err)
	affected(t, applying, int64(len(decoded)), query, args...)
}

// walk copies the table chunk by chunk as a migration does, and returns the number of copied rows.
func walk(t *testing.T, conn *gosql.Conn, s *CopyStatements, columns int, chunkSize int64) int64 {
	t.Helper()
	from, max := readBound(t, conn, columns, s.MinBound()), readBound(t, conn, columns, s.MaxBound())
	copied, include := int64(0), true
	for iteration := int64(0); ; iteration++ {
		require.Less(t, iteration, int64(100), "the walk does not end")
		query, args, err := s.ChunkEnd(from, include, max, chunkSize, iteration)
		require.NoError(t, err)
		to := readBound(t, conn, columns, query, args...)
		if to == nil {
			query, args, err = s.LastBound(from, include, max, iteration)
			require.NoError(t, err)
			to = readBound(t, conn, columns, query, args...)
		}
		if to == nil {
			return copied
		}
		query, args, err = s.InsertChunk(from, include, to)
		require.NoError(t, err)
		result, err := conn.ExecContext(t.Context(), query, args...)
		require.NoError(t, err, query)
		rows, err := result.RowsAffected()
		require.NoError(t, err)
		if rows > 0 {
			copied += rows
		}
		from, include = to, false
	}
}

// readBound returns one row as raw bytes, nil if there is none.
func readBound(t *testing.T, conn *gosql.Conn, columns int, query string, args ...any) Bound {
	t.Helper()
	values, targets := make([]gosql.RawBytes, columns), make([]any, columns)
	for i := range values {
		targets[i] = &values[i]
	}
	rows, err := conn.QueryContext(t.Context(), query, args...)
	require.NoError(t, err, query)
	defer rows.Close()
	if !rows.Next() {
		require.NoError(t, rows.Err(), "%s %q", query, args)
		return nil
	}
	require.NoError(t, rows.Scan(targets...))
	bound := make(Bound, columns)
	for i, value := range values {
		bound[i] = append([]byte{}, value...)
	}
	return bound
}

func affected(t *testing.T, conn *gosql.Conn, expected int64, query string, args ...any) {
	t.Helper()
	result, err := conn.ExecContext(t.Context(), query, args...)
	require.NoError(t, err, "%s %q", query, args)
	rows, err := result.RowsAffected()
	require.NoError(t, err)
	assert.Equal(t, expected, rows, "%s %q", query, args)
}

func count(t *testing.T, conn *gosql.Conn, table string) (rows int64) {
	t.Helper()
	require.NoError(t, conn.QueryRowContext(t.Context(), "SELECT COUNT(*) FROM "+table).Scan(&rows))
	return rows
}
