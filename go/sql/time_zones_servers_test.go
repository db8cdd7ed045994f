package sql

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/github/gh-ost/go/internal/testserver"
)

func TestMomentsOfTheHourThatOccursTwicePassLocalSessionsOrAreRefused(t *testing.T) {
	testserver.Both(t, func(t *testing.T, server *testserver.Server) {
		server.Exec(t, testClock)
		schema := server.Schema(t)
		utcSession, local := session(t, server, schema, "+00:00", strictMode), session(t, server, schema, testZone, strictMode)
		mustExec(t, utcSession, "CREATE TABLE o (id int PRIMARY KEY, ts timestamp(2) NULL, hour int AS (hour(ts)) VIRTUAL, KEY (hour))")
		mustExec(t, utcSession, "CREATE TABLE copied LIKE o")
		mustExec(t, utcSession, "CREATE TABLE applied LIKE o")
		mustExec(t, utcSession, "INSERT INTO o (id, ts) VALUES (1, '2023-10-29 00:30:00.25'), (2, '2023-10-29 01:30:00.25'), (3, '2023-10-29 02:30:00.25'), (4, NULL)")
		columns := describe(t, local, schema, "o")
		shared := pairColumns(columns[:2], columns[:2])
		zones := TimeZones{Server: testZone, Local: true, OffsetLiterals: server.Flavor == testserver.MySQL}

		copying, err := NewCopyStatements(TableName{schema, "o"}, TableName{schema, "copied"}, shared, primaryKey(columns[0]), "LOCK IN SHARE MODE", zones)
		require.NoError(t, err)
		query, args, err := copying.InsertChunk(Bound{int64(1)}, true, Bound{int64(4)})
		require.NoError(t, err)
		mustExec(t, local, query, args...)
		assert.Equal(t, contents(t, utcSession, "o", columns[:2]), contents(t, utcSession, "copied", columns[:2]))

		applying, err := NewApplyStatements(TableName{schema, "applied"}, shared, primaryKey(columns[0]), zones)
		require.NoError(t, err)
		var refused []int
		for id, moment := range map[int]any{1: "2023-10-29 00:30:00.25", 2: "2023-10-29 01:30:00.25", 3: "2023-10-29 02:30:00.25", 4: nil} {
			query, args, err := applying.Replace([][]any{{int32(id), moment, nil}})
			require.NoError(t, err)
			if _, err := local.ExecContext(t.Context(), query, args...); err != nil {
				assert.ErrorContains(t, err, "local time occurs twice")
				refused = append(refused, id)
			}
		}
		assert.Equal(t, server.Flavor == testserver.MariaDB, len(refused) == 1, "%v", refused)
		hours := func(table string) int {
			return int(count(t, local, table+" WHERE hour = 2"))
		}
		assert.Equal(t, 2, hours("copied"))
		if len(refused) == 0 {
			assert.Equal(t, contents(t, utcSession, "o", columns[:2]), contents(t, utcSession, "applied", columns[:2]))
			assert.Equal(t, 2, hours("applied"))
		}
	})
}
