package mysql

import (
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/github/gh-ost/go/internal/testserver"
)

func TestWatchedStatementsAreMeasuredAndRefusedForTheirWarnings(t *testing.T) {
	testserver.Both(t, func(t *testing.T, server *testserver.Server) {
		schema := server.Schema(t)
		server.Exec(t, "CREATE TABLE "+schema+".t (id int PRIMARY KEY, v tinyint)")
		config := NewConnectionConfig()
		config.Key, config.User, config.Password = InstanceKey{Hostname: server.Host, Port: server.Port}, server.User, server.Password
		var executed, failed, queried atomic.Int64
		db, err := config.OpenWatched(schema, StatementWatch{
			Executed: func(took time.Duration, err error) {
				executed.Add(1)
				if err != nil {
					failed.Add(1)
				}
				assert.Positive(t, took)
			},
			Queried: func(time.Duration, error) { queried.Add(1) },
			Counts: func(warnings []Warning) (counting []Warning) {
				for _, warning := range warnings {
					if warning.Code != 1062 {
						counting = append(counting, warning)
					}
				}
				return counting
			},
		}, "SET SESSION sql_mode = ''")
		require.NoError(t, err)
		defer db.Close()

		_, err = db.Exec("INSERT INTO t VALUES (?, ?)", 1, 5)
		require.NoError(t, err)
		_, err = db.Exec("INSERT IGNORE INTO t VALUES (1, 6)")
		require.NoError(t, err, "this warning does not count")

		// Within a transaction a refused statement can be rolled back.
		tx, err := db.Begin()
		require.NoError(t, err)
		_, err = tx.Exec("INSERT INTO t VALUES (2, 1000), (3, 1000)")
		var warned *WarningsError
		require.ErrorAs(t, err, &warned)
		require.Len(t, warned.Warnings, 2)
		assert.EqualValues(t, 1264, warned.Warnings[0].Code)
		assert.Equal(t, "Warning", warned.Warnings[0].Level)
		assert.ErrorContains(t, err, "Out of range value for column 'v'")
		assert.ErrorContains(t, err, "and 1 more")
		assert.True(t, IsDataError(err) && IsPermanent(err), "the same statement would be refused again")
		require.NoError(t, tx.Rollback())

		_, err = db.Exec("INSERT INTO nosuch VALUES (1)")
		require.True(t, IsNoSuchTable(err))
		_, err = db.Exec("INSERT INTO t VALUES (?, 7)", 9, 9)
		require.Error(t, err, "it would be prepared, and nobody would look at its warnings")

		var rows int
		require.NoError(t, db.QueryRow("SELECT COUNT(*) FROM t").Scan(&rows))
		assert.Equal(t, 1, rows)
		assert.EqualValues(t, 4, executed.Load())
		assert.EqualValues(t, 1, failed.Load())
		assert.EqualValues(t, 1, queried.Load(), "reading warnings does not count")
	})
}
