package sql

import (
	"context"
	gosql "database/sql"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/github/gh-ost/go/internal/testserver"
)

// total is what a table's rows sum up to.
type total struct {
	Rows, Hashed int
	Sums         [2]uint64
}

// totalsOf compares both tables, by way of the temporary table if that is needed.
func totalsOf(t *testing.T, conn *gosql.Conn, statements *VerifyStatements, rows RowSet) (original, ghost total) {
	t.Helper()
	fillTemporary(t, conn, statements, rows)
	query, args, err := statements.Totals(rows)
	require.NoError(t, err)
	result, err := conn.QueryContext(t.Context(), query, args...)
	require.NoError(t, err, query)
	defer result.Close()
	for _, of := range []*total{&original, &ghost} {
		var side int
		require.True(t, result.Next(), query)
		require.NoError(t, result.Scan(&side, &of.Rows, &of.Hashed, &of.Sums[0], &of.Sums[1]))
	}
	require.False(t, result.Next())
	require.NoError(t, result.Err())
	return original, ghost
}

func fillTemporary(t *testing.T, conn *gosql.Conn, statements *VerifyStatements, rows RowSet) {
	t.Helper()
	if !statements.NeedsTemporary() {
		return
	}
	mustExec(t, conn, statements.ClearTemporary())
	query, args, err := statements.FillTemporary(rows)
	require.NoError(t, err)
	mustExec(t, conn, query, args...)
}

// verifying prepares the comparison of a table with its altered copy.
func verifying(t *testing.T, conn *gosql.Conn, schema, original, ghost string, zones TimeZones, key ...Column) *VerifyStatements {
	t.Helper()
	source, target := describe(t, conn, schema, original), describe(t, conn, schema, ghost)
	if len(key) == 0 {
		key = source[:1]
	}
	ghostKey := make([]Column, len(key))
	for i, column := range key {
		ghostKey[i], _ = NewColumnList(target).Lookup(column.Name)
	}
	statements, err := NewVerifyStatements(TableName{schema, original}, TableName{schema, ghost}, TableName{schema, "tmp_" + original},
		pairColumns(source, target), primaryKey(key...), primaryKey(ghostKey...), zones)
	require.NoError(t, err)
	if statements.NeedsTemporary() {
		mustExec(t, conn, statements.CreateTemporary())
	}
	return statements
}

func TestChecksumsAgreeWithANativeAlterAndWithNothingElse(t *testing.T) {
	testserver.Both(t, func(t *testing.T, server *testserver.Server) {
		schema := server.Schema(t)
		server.Exec(t, testClock)
		loose := session(t, server, schema, testZone, "")
		zone := zoneOf(t, loose)
		for i, c := range conversions {
			if c.only != "" && c.only != server.Flavor {
				continue
			}
			t.Run(c.String(), func(t *testing.T) {
				original, ghost := fmt.Sprintf("o%d", i), fmt.Sprintf("g%d", i)
				mode := c.mode
				if mode == "" {
					mode = strictMode
				}
				fill(t, loose, original, c)
				native := session(t, server, schema, zone, mode)
				mustExec(t, native, fmt.Sprintf("CREATE TABLE %s LIKE %s", ghost, original))
				mustExec(t, loose, fmt.Sprintf("INSERT INTO %s SELECT * FROM %s", ghost, original))
				if c.to != "" {
					mustExec(t, native, fmt.Sprintf("ALTER TABLE %s MODIFY v %s", ghost, c.to))
				}
				reading := session(t, server, schema, "+00:00", mode)
				statements := verifying(t, reading, schema, original, ghost, TimeZones{Server: zone})

				one, two := totalsOf(t, reading, statements, RowSet{})
				assert.Equal(t, len(c.values), one.Hashed)
				assert.Equal(t, one, two)

				target := describe(t, native, schema, ghost)
				for id := 1; id < len(c.values); id++ {
					before := contents(t, native, ghost, target)
					mustExec(t, loose, fmt.Sprintf("UPDATE %[1]s a, %[1]s b SET a.v = b.v WHERE a.id = %[2]d AND b.id = %[3]d", ghost, id, id-1))
					after := contents(t, native, ghost, target)
					_, two = totalsOf(t, reading, statements, RowSet{Keys: []Bound{{int64(0)}, {int64(id)}}})
					one, _ := totalsOf(t, reading, statements, RowSet{Keys: []Bound{{int64(0)}, {int64(id)}}})
					if fmt.Sprint(before) != fmt.Sprint(after) {
						assert.NotEqual(t, one, two, "row %d is another now:\n%q\n%q", id, before, after)
					}
				}
			})
		}
		requireNothingLogged(t, server, "tmp_o")
	})
}

// requireNothingLogged makes sure that no statement with this text came into the binary log.
func requireNothingLogged(t *testing.T, server *testserver.Server, text string) {
	t.Helper()
	db := server.DB(t)
	logs, err := db.QueryContext(t.Context(), "SHOW BINARY LOGS")
	require.NoError(t, err)
	var names []string
	for _, row := range scanAll(t, logs) {
		names = append(names, row[0])
	}
	for _, name := range names {
		events, err := db.QueryContext(context.WithoutCancel(t.Context()), fmt.Sprintf("SHOW BINLOG EVENTS IN '%s'", name))
		require.NoError(t, err)
		for _, row := range scanAll(t, events) {
			require.NotContains(t, row[5], text)
		}
	}
}

// scanAll reads all rows as texts.
func scanAll(t *testing.T, rows *gosql.Rows) (all [][]string) {
	t.Helper()
	defer rows.Close()
	columns, err := rows.Columns()
	require.NoError(t, err)
	for rows.Next() {
		values, targets := make([]gosql.NullString, len(columns)), make([]any, len(columns))
		for i := range values {
			targets[i] = &values[i]
		}
		require.NoError(t, rows.Scan(targets...))
		row := make([]string, len(columns))
		for i, value := range values {
			row[i] = value.String
		}
		all = append(all, row)
	}
	require.NoError(t, rows.Err())
	return all
}

// Rows of both tables, and events, are paired by their keys' encodings. So these must not depend on where a key was read.
func TestKeysAreTheSameHoweverTheyAreRead(t *testing.T) {
	cases := []conversion{
		{from: "int", values: []string{"-5", "0", "7"}},
		{from: "int", to: "bigint unsigned", values: []string{"0", "7"}},
		{from: "int", to: "varchar(20) CHARACTER SET utf16", values: []string{"-5", "0", "7"}},
		{from: "bigint unsigned", values: []string{"18446744073709551615", "0"}},
		{from: "decimal(20,4)", values: []string{"1.5", "-0.0001", "0", "100"}},
		{from: "decimal(20,4)", to: "decimal(30,6)", values: []string{"1.5", "-0.0001", "0", "100"}},
		{from: "double", values: []string{"0.1", "1.1", "1e22", "-5"}},
		{from: "bit(10)", values: []string{"0", "92", "1023"}},
		{from: "year", values: []string{"1999", "0"}},
		{from: "date", values: []string{"'2020-02-29'"}},
		{from: "time(2)", values: []string{"'-12:00:00.25'", "'12:00:00'", "'100:00:01.5'"}},
		{from: "datetime(3)", to: "datetime(6)", values: []string{"'2020-01-02 03:04:05.5'", "'2020-01-02 03:04:05'"}},
		{from: "timestamp(2)", values: []string{"'2023-07-01 12:00:00.5'", "'2023-10-29 01:30:00'"}},
		{from: "varchar(20) CHARACTER SET latin1 COLLATE latin1_bin", to: "varchar(30) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin", values: []string{"'a'", "'B'", "'ü€'", "''", "'it''s \\\\'"}},
		{from: "varchar(20) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin", values: []string{"'a '", "'ü'", "'😀'"}},
		{from: "varchar(20) CHARACTER SET gbk", values: []string{"_gbk 0x815cb05c", "_gbk 0x975c27"}},
		{from: "char(10) CHARACTER SET utf8mb4", to: "varchar(10) CHARACTER SET utf8mb4", values: []string{"'a'", "'ü  '"}},
		{from: "binary(4)", values: []string{"0x00000000", "0x61000000", "0x5c273f00"}},
		{from: "binary(4)", to: "varbinary(6)", values: []string{"0x00000000", "0x61000000"}},
		{from: "varbinary(10)", values: []string{"''", "0x00", "0x0000", "0x5c273f"}},
		{from: "enum('x','y','z')", to: "enum('x','y','z','w')", values: []string{"'z'", "'x'"}},
		{from: "set('x','y','z')", values: []string{"''", "'x,z'", "'y'"}},
	}
	testserver.Both(t, func(t *testing.T, server *testserver.Server) {
		schema := server.Schema(t)
		loose := session(t, server, schema, "+00:00", "")
		start := binlogEnd(t, server, server.DB(t))
		for i, c := range cases {
			mustExec(t, loose, fmt.Sprintf("CREATE TABLE o%d (k %s NOT NULL PRIMARY KEY, v int)", i, c.from))
			for id, value := range c.values {
				mustExec(t, loose, fmt.Sprintf("INSERT INTO o%d VALUES (%s, %d)", i, value, id))
			}
		}
		inserted := insertedRows(t, server, schema, start, binlogEnd(t, server, server.DB(t)))
		for i, c := range cases {
			t.Run(c.String(), func(t *testing.T) {
				original, ghost := fmt.Sprintf("o%d", i), fmt.Sprintf("g%d", i)
				conn := session(t, server, schema, "+00:00", strictMode)
				mustExec(t, conn, fmt.Sprintf("CREATE TABLE %s LIKE %s", ghost, original))
				mustExec(t, conn, fmt.Sprintf("INSERT INTO %s SELECT * FROM %s", ghost, original))
				if c.to != "" {
					mustExec(t, conn, fmt.Sprintf("ALTER TABLE %s MODIFY k %s NOT NULL", ghost, c.to))
				}
				statements := verifying(t, conn, schema, original, ghost, TimeZones{Server: "+00:00"})

				keys := map[string]bool{}
				var events []Bound
				for _, row := range inserted[original] {
					id, err := statements.KeyString(row[:1])
					require.NoError(t, err)
					keys[id] = true
					events = append(events, row[:1])
				}
				require.Len(t, keys, len(c.values))
				sets := []RowSet{{Keys: events}}
				if statements.RangesAgree() {
					sets = append(sets, RowSet{})
				}
				for _, set := range sets {
					fillTemporary(t, conn, statements, set)
					hashes := map[string]string{}
					for _, read := range []func(RowSet) (string, []any, error){statements.OriginalRows, statements.GhostRows} {
						query, args, err := read(set)
						require.NoError(t, err)
						found := readKeyed(t, conn, statements, query, args)
						assert.Len(t, found, len(keys), query)
						for id, hash := range found {
							assert.True(t, keys[id], "%q is none of %q", id, keys)
							if len(hashes) == len(keys) {
								assert.Equal(t, hashes[id], hash)
							}
						}
						hashes = found
					}
				}
			})
		}
	})
}

// readKeyed reads rows by their keys' encodings; the last column is the value.
func readKeyed(t *testing.T, conn *gosql.Conn, statements *VerifyStatements, query string, args []any) map[string]string {
	t.Helper()
	rows, err := conn.QueryContext(t.Context(), query, args...)
	require.NoError(t, err, query)
	defer rows.Close()
	found := map[string]string{}
	for rows.Next() {
		var key []byte
		var hash string
		require.NoError(t, rows.Scan(&key, &hash))
		id, err := statements.KeyString(Bound{key})
		require.NoError(t, err)
		found[id] = hash
	}
	require.NoError(t, rows.Err())
	return found
}
