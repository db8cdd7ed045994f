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
func verifying(t *testing.T, conn *gosql.Conn, schema, original, ghost string, zone string, key ...Column) *VerifyStatements {
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
		pairColumns(source, target), primaryKey(key...), primaryKey(ghostKey...), zone)
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
				statements := verifying(t, native, schema, original, ghost, zone)

				one, two := totalsOf(t, native, statements, RowSet{})
				assert.Equal(t, len(c.values), one.Hashed)
				assert.Equal(t, one, two)

				target := describe(t, native, schema, ghost)
				for id := 1; id < len(c.values); id++ {
					before := contents(t, native, ghost, target)
					mustExec(t, loose, fmt.Sprintf("UPDATE %[1]s a, %[1]s b SET a.v = b.v WHERE a.id = %[2]d AND b.id = %[3]d", ghost, id, id-1))
					after := contents(t, native, ghost, target)
					_, two = totalsOf(t, native, statements, RowSet{Keys: []Bound{{int64(0)}, {int64(id)}}})
					one, _ := totalsOf(t, native, statements, RowSet{Keys: []Bound{{int64(0)}, {int64(id)}}})
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
