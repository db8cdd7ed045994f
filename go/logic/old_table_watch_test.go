package logic

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/github/gh-ost/go/internal/testserver"
)

// What somebody has done to the old table since the swap would come back with it, or be missing.
func TestARevertIsRefusedWhereSomebodyHasChangedTheOldTable(t *testing.T) {
	testserver.Both(t, func(t *testing.T, server *testserver.Server) {
		for _, test := range []struct {
			name    string
			since   []string
			gtid    bool
			resumed bool // the migration was killed behind its swap, and ended by --resume
			says    string
		}{
			{"deleted rows", []string{"DELETE FROM _t_del WHERE id < 3"}, false, false, "wrote to it (delete, 2 row(s)"},
			{"deleted rows, by transaction ids", []string{"DELETE FROM _t_del WHERE id < 3"}, true, false, "wrote to it (delete, 2 row(s)"},
			{"changed a row after clients had written", []string{"UPDATE t SET v = 9 WHERE id = 3", "UPDATE _t_del SET v = 7 WHERE id = 1"}, false, false, "wrote to it (update, 1 row(s)"},
			{"changed a row, after a resumed swap", []string{"UPDATE _t_del SET v = 7 WHERE id = 1"}, false, true, "wrote to it (update, 1 row(s)"},
			{"took it away and put it back", []string{"RENAME TABLE _t_del TO x", "DELETE FROM x", "RENAME TABLE x TO _t_del"}, false, false, "ran RENAME TABLE on it"},
			{"deleted rows by a statement that is logged as such", []string{"SET binlog_format = 'STATEMENT'", "DELETE FROM _t_del WHERE id < 3"}, false, false, "ran DELETE on it"},
		} {
			t.Run(test.name, func(t *testing.T) {
				schema := server.Schema(t)
				db := server.SchemaDB(t, schema)
				mustExec(t, db, "CREATE TABLE t (id int PRIMARY KEY, v int)", "INSERT INTO t VALUES (1, 1), (2, 2), (3, 3)")
				run := mortalRun(t, server, schema)
				run.Alter, run.GTID = "ADD COLUMN w int", test.gtid
				if test.resumed {
					run.DieAt = "cleanUp"
					require.Equal(t, killed, run.run(t))
					run.Resume = true
				}
				run.succeed(t)
				one := server.SchemaDB(t, schema)
				one.SetMaxOpenConns(1)
				mustExec(t, one, test.since...)
				rows, old := rowsOf(t, db, "SELECT * FROM t"), rowsOf(t, db, "SELECT * FROM _t_del")

				for _, again := range []string{"first", "second"} { // the second finds the first one's state in the log as well
					revert := newRevert(t, server, schema, "_t_del")
					revert.Migrator.context.UseGTIDs = test.gtid
					err := requireEnd(t, revert.startRevert(), time.Minute)

					require.ErrorContains(t, err, test.says, again)
					assert.ErrorContains(t, err, "_t_del` was changed since")
					assert.ErrorContains(t, err, "Nothing was swapped")
					assert.Equal(t, rows, rowsOf(t, db, "SELECT * FROM t"))
					assert.Len(t, rowsOf(t, db, "SELECT * FROM _t_del"), len(old))
				}
			})
		}
	})
}

// What a revert that was killed has written to the old table is no reason to refuse the next; nor is what was done to a table
// of that name before the swap.
func TestARevertTakesItsOwnEarlierWritesForNobodyElses(t *testing.T) {
	testserver.Both(t, func(t *testing.T, server *testserver.Server) {
		schema, db := migrateFor(t, server,
			[]string{"CREATE TABLE _t_del (id int PRIMARY KEY)", "INSERT INTO _t_del VALUES (1)", "DROP TABLE _t_del",
				"CREATE TABLE t (id int PRIMARY KEY, v int)", "INSERT INTO t VALUES (1, 1), (2, 2)"},
			"ADD COLUMN w int", []string{"UPDATE t SET v = 3 WHERE id = 1"})
		run := mortalRun(t, server, schema)
		run.Revert = "_t_del"
		for _, point := range []string{"serve", "swap", "drain"} {
			run.DieAt = point
			require.Equal(t, killed, run.run(t), point)
			mustExec(t, db, "UPDATE t SET v = v + 1 WHERE id = 1")
		}
		assert.Equal(t, []string{"1,5", "2,2"}, rowsOf(t, db, "SELECT * FROM _t_del"), "it was written to")

		run.succeed(t)
		assert.Equal(t, []string{"1,6", "2,2"}, rowsOf(t, db, "SELECT * FROM t"))

		run.Revert = "_t_rev_del"
		run.succeed(t)
		assert.Equal(t, []string{"1,6,NULL", "2,2,NULL"}, rowsOf(t, db, "SELECT * FROM t"))
	})
}
