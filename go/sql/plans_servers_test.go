package sql

import (
	gosql "database/sql"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/github/gh-ost/go/internal/testserver"
)

// rowsRead runs a statement and returns how many rows and positions the server's engine was asked for.
func rowsRead(t *testing.T, conn *gosql.Conn, query string, args ...any) int64 {
	t.Helper()
	before := readCounters(t, conn)
	rows, err := conn.QueryContext(t.Context(), query, args...)
	require.NoError(t, err, query)
	for rows.Next() {
		continue
	}
	require.NoError(t, rows.Close())
	require.NoError(t, rows.Err())
	return readCounters(t, conn) - before
}

func readCounters(t *testing.T, conn *gosql.Conn) (sum int64) {
	t.Helper()
	rows, err := conn.QueryContext(t.Context(), "SHOW SESSION STATUS LIKE 'Handler_read%'")
	require.NoError(t, err)
	defer rows.Close()
	for rows.Next() {
		var name string
		var value int64
		require.NoError(t, rows.Scan(&name, &value))
		sum += value
	}
	require.NoError(t, rows.Err())
	return sum
}

func TestStatementsReadNoMoreOfTheIndexThanTheyNeed(t *testing.T) {
	const rows, slack = 3000, 20
	for name, key := range map[string][]string{
		"one integer":            {"id"},
		"enum and integer":       {"e", "id"},
		"text, enum, integer":    {"s", "e", "id"},
		"decimal and integer":    {"d", "id"},
		"binary":                 {"b"},
		"few values, then many":  {"one", "s", "id"},
		"timestamp and integer":  {"ts", "id"},
		"ucs2 text and set":      {"u", "f", "id"},
		"integer, then bit, too": {"id", "bits"},
	} {
		t.Run(name, func(t *testing.T) {
			testserver.Both(t, func(t *testing.T, server *testserver.Server) {
				schema := server.Schema(t)
				conn := session(t, server, schema, "+00:00", strictMode)
				var names string
				for i, column := range key {
					if i > 0 {
						names += ", "
					}
					names += column
				}
				mustExec(t, conn, `CREATE TABLE t (id int NOT NULL, e enum('z','y','x','w') NOT NULL, s varchar(20) CHARACTER SET latin1 NOT NULL, d decimal(20,5) NOT NULL, b binary(8) NOT NULL,
					one int NOT NULL, ts timestamp NOT NULL DEFAULT CURRENT_TIMESTAMP, u varchar(9) CHARACTER SET ucs2 NOT NULL, f set('a','b','c') NOT NULL, bits bit(20) NOT NULL, PRIMARY KEY (`+names+`))`)
				mustExec(t, conn, "CREATE TABLE g LIKE t")
				fillMany(t, conn, rows)
				mustExec(t, conn, "ANALYZE TABLE t")

				all := describe(t, conn, schema, "t")
				var columns []Column
				for _, name := range key {
					column, found := NewColumnList(all).Lookup(name)
					require.True(t, found)
					columns = append(columns, column)
				}
				s, err := NewCopyStatements(TableName{schema, "t"}, TableName{schema, "g"}, pairColumns(all, all), primaryKey(columns...), "LOCK IN SHARE MODE", TimeZones{})
				require.NoError(t, err)

				max := readBound(t, conn, len(key), s.MaxBound())
				query, args, err := s.ChunkEnd(readBound(t, conn, len(key), s.MinBound()), true, max, rows/2, 0)
				require.NoError(t, err)
				middle := readBound(t, conn, len(key), query, args...)
				query, args, err = s.ChunkEnd(middle, false, max, 100, 1)
				require.NoError(t, err)
				assert.Less(t, rowsRead(t, conn, query, args...), int64(100+slack), query)
				to := readBound(t, conn, len(key), query, args...)
				query, args, err = s.LastBound(middle, false, to, 1)
				require.NoError(t, err)
				assert.Less(t, rowsRead(t, conn, query, args...), int64(slack), query)

				query, args, err = s.InsertChunk(middle, false, to)
				require.NoError(t, err)
				before := readCounters(t, conn)
				affected(t, conn, 100, query, args...)
				assert.Less(t, readCounters(t, conn)-before, int64(2*100+slack), query)

				// Those hundred rows are deleted from the full table by their keys.
				affected(t, conn, 100, "DELETE FROM g")
				mustExec(t, conn, "INSERT INTO g SELECT * FROM t")
				mustExec(t, conn, "ANALYZE TABLE g")
				apply, err := NewApplyStatements(TableName{schema, "g"}, pairColumns(all, all), primaryKey(columns...), TimeZones{})
				require.NoError(t, err)
				query, args, err = apply.Delete(someKeys(t, conn, s, len(key), middle, to))
				require.NoError(t, err)
				before = readCounters(t, conn)
				affected(t, conn, 100, query, args...)
				assert.LessOrEqual(t, readCounters(t, conn)-before, int64(2*100+slack), query)
			})
		})
	}
}

// someKeys reads the keys of the rows behind from, up to to.
func someKeys(t *testing.T, conn *gosql.Conn, s *CopyStatements, columns int, from, to Bound) (keys [][]any) {
	t.Helper()
	for include := false; ; {
		query, args, err := s.ChunkEnd(from, include, to, 1, 0)
		require.NoError(t, err)
		if from = readBound(t, conn, columns, query, args...); from == nil {
			return keys
		}
		keys = append(keys, from)
	}
}

func fillMany(t *testing.T, conn *gosql.Conn, rows int) {
	t.Helper()
	mustExec(t, conn, "CREATE TABLE digits (n int)")
	mustExec(t, conn, "INSERT INTO digits VALUES (0),(1),(2),(3),(4),(5),(6),(7),(8),(9)")
	mustExec(t, conn, fmt.Sprintf(`INSERT INTO t SELECT n, 1 + n %% 4, CONCAT('s', n %% 7), n / 8, LPAD(HEX(n), 8, '0'), 1, FROM_UNIXTIME(1600000000 + n DIV 5), CONCAT('u', n %% 5), n %% 8, n
		FROM (SELECT a.n + 10 * b.n + 100 * c.n + 1000 * d.n AS n FROM digits a, digits b, digits c, digits d) AS numbers WHERE n < %d`, rows))
}

func TestLocalTimeThatTheClockSkippedIsRefusedAsTheAlterRefusesIt(t *testing.T) {
	testserver.Both(t, func(t *testing.T, server *testserver.Server) {
		schema := server.Schema(t)
		server.Exec(t, testClock)
		native := session(t, server, schema, testZone, strictMode)
		applying := session(t, server, schema, "+00:00", strictMode)
		mustExec(t, native, "CREATE TABLE o (id int PRIMARY KEY, v datetime)")
		mustExec(t, native, "CREATE TABLE g (id int PRIMARY KEY, v timestamp NULL)")
		mustExec(t, native, "INSERT INTO o VALUES (1, '2023-03-26 02:30:00')")
		source, target := describe(t, native, schema, "o"), describe(t, native, schema, "g")
		s, err := NewApplyStatements(TableName{schema, "g"}, pairColumns(source, target), primaryKey(source[0]), TimeZones{Server: testZone})
		require.NoError(t, err)

		query, args, err := s.Replace([][]any{{int32(1), "2023-03-26 02:30:00"}})
		require.NoError(t, err)
		_, err = applying.ExecContext(t.Context(), query, args...)
		assert.ErrorContains(t, err, "no such local time: 2023-03-26 02:30:00")
		_, err = native.ExecContext(t.Context(), "ALTER TABLE o MODIFY v timestamp NULL")
		assert.ErrorContains(t, err, "2023-03-26 02:30:00")
	})
}
