package logic

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/github/gh-ost/go/base"
	"github.com/github/gh-ost/go/internal/ledger"
	"github.com/github/gh-ost/go/internal/testserver"
	"github.com/github/gh-ost/go/logic/cutover"
)

func resumed(c *base.MigrationContext) { c.Resume = true }

// reading makes a run read the binary log of that server.
func reading(server *testserver.Server, isPrimary bool) func(*base.MigrationContext) {
	return func(c *base.MigrationContext) {
		c.InspectorConnectionConfig.Key.Port = server.Port
		c.AllowedRunningOnMaster = isPrimary
	}
}

// stopWhenPostponed runs a migration up to its cut-over and has somebody stop it there.
func stopWhenPostponed(t *testing.T, m *migration) {
	result := m.start()
	require.Eventually(t, m.Migrator.context.IsPostponing, time.Minute, 20*time.Millisecond)
	m.Migrator.context.PanicAbort <- errors.New("stopped by the test")
	require.ErrorContains(t, requireEnd(t, result, time.Minute), "stopped by the test")
	assert.True(t, m.log.contains("with --resume"), "it says how to go on")
}

// What was written while nobody ran is in the binary log. By transaction ids another server's will do.
func TestAStoppedRunGoesOnByAnotherServersBinaryLog(t *testing.T) {
	t.Parallel()
	testserver.BothFresh(t, testserver.Options{Replica: true}, func(t *testing.T, server *testserver.Server) {
		schema := server.Schema(t)
		load := startLoad(t, server, schema, "t", ledger.Options{Rows: 2000, Writers: 4})
		flagFile := filepath.Join(t.TempDir(), "postpone")
		postponed := func(c *base.MigrationContext) { c.PostponeCutOverFlagFile = flagFile }
		alter := "ADD COLUMN extra int NOT NULL DEFAULT 7"
		server.CatchUp(t)
		first := newMigration(t, server, schema, "t", alter, checkpointed, byGTID, postponed, reading(server.Replica, false))
		stopWhenPostponed(t, first)
		time.Sleep(time.Second)
		require.NoError(t, os.Remove(flagFile))

		again := newMigration(t, server, schema, "t", alter, checkpointed, byGTID, resumed, reading(server, true))
		require.NoError(t, requireEnd(t, again.start(), time.Minute))

		load.requireNothingLost(t, "t")
		assert.True(t, isMigrated(t, load))
		// Rows that were written after the copy came to its end may be copied once more, where they have gone.
		assert.InDelta(t, first.Migrator.context.GetTotalRowsCopied(), again.Migrator.context.GetTotalRowsCopied(), 50, "the copied rows of both runs")
	})
}

func TestAPlaceInAFileIsNotContinuedOnAnotherServer(t *testing.T) {
	t.Parallel()
	server := testserver.Start(t, testserver.Options{Replica: true})
	schema := server.Schema(t)
	db := server.SchemaDB(t, schema)
	mustExec(t, db, "CREATE TABLE t (id int PRIMARY KEY, v int)", "INSERT INTO t VALUES (1, 1), (2, 2)")
	run := interrupted(t, server, schema, false)
	server.CatchUp(t)
	before := tablesOf(t, db, schema)

	err := requireEnd(t, newMigration(t, server, schema, "t", run.Alter, checkpointed, resumed, reading(server.Replica, false)).start(), time.Minute)

	assert.ErrorContains(t, err, "--gtid")
	assert.ErrorContains(t, err, "--host")
	assert.Equal(t, before, tablesOf(t, db, schema))
}

// The server dies together with the run. What it had committed is there again, and so is its binary log.
func TestARunGoesOnAfterTheServerHasDied(t *testing.T) {
	t.Parallel()
	testserver.BothFresh(t, testserver.Options{Durable: true}, func(t *testing.T, server *testserver.Server) {
		schema := server.Schema(t)
		load := startLoad(t, server, schema, "t", ledger.Options{Rows: 2000, Writers: 4})
		run := mortalRun(t, server, schema)
		run.DieAt, run.Times = "copied", 12
		require.Equal(t, killed, run.run(t))
		server.Kill(t)
		server.Restart(t)
		time.Sleep(500 * time.Millisecond) // clients are at work again

		run.Resume = true
		run.succeed(t)

		load.stop()
		report, err := load.Verify(t.Context(), nil, "t")
		require.NoError(t, err)
		require.NoError(t, report.Err(), report.String())
		assert.True(t, isMigrated(t, load))
	})
}

// A checkpoint is written at once when an embedder asks for it, while the run is throttled, too.
func TestACheckpointIsWrittenWhileThrottled(t *testing.T) {
	t.Parallel()
	testserver.Both(t, func(t *testing.T, server *testserver.Server) {
		schema := server.Schema(t)
		db := server.SchemaDB(t, schema)
		mustExec(t, db, "CREATE TABLE t (id int PRIMARY KEY, v enum('a','b'), UNIQUE KEY (v, id))", "INSERT INTO t VALUES (1, 'a'), (2, 'b'), (3, 'b')")
		flagFile := filepath.Join(t.TempDir(), "postpone")
		m := newMigration(t, server, schema, "t", "ADD COLUMN w int", checkpointed, func(c *base.MigrationContext) { c.PostponeCutOverFlagFile = flagFile })
		_, err := m.Checkpoint(t.Context())
		require.Error(t, err, "nothing is known yet")
		result := m.start()
		require.Eventually(t, m.Migrator.context.IsPostponing, time.Minute, 20*time.Millisecond)
		m.Migrator.context.SetThrottleCommandedByUser(true)
		time.Sleep(300 * time.Millisecond)

		checkpoint, err := m.Checkpoint(t.Context())

		require.NoError(t, err)
		assert.Equal(t, "3", checkpoint.IterationRangeMax.StringColumn(0))
		assert.EqualValues(t, 3, checkpoint.RowsCopied)
		assert.False(t, checkpoint.IsCutover)
		assert.Equal(t, []string{"1,3,3,0"}, rowsOf(t, db, "SELECT id_min, id_max, gh_ost_rows_copied, gh_ost_is_cutover FROM _t_ghk ORDER BY gh_ost_chk_id DESC LIMIT 1"))
		m.Migrator.context.SetThrottleCommandedByUser(false)
		require.NoError(t, os.Remove(flagFile))
		require.NoError(t, requireEnd(t, result, time.Minute))
		assert.Equal(t, []string{"1"}, rowsOf(t, db, "SELECT gh_ost_is_cutover FROM _t_ghk ORDER BY gh_ost_chk_id DESC LIMIT 1"))
	})
}

// While a heartbeat is not answered the server may have lost what it has committed, copied rows too; and whoever goes on must
// know of an attempt whose outcome nobody has learned.
func TestACheckpointDoesNotClaimWhatIsInDoubt(t *testing.T) {
	t.Parallel()
	testserver.Both(t, func(t *testing.T, server *testserver.Server) {
		schema := server.Schema(t)
		db := server.SchemaDB(t, schema)
		mustExec(t, db, "CREATE TABLE t (id int PRIMARY KEY)", "INSERT INTO t VALUES (1), (2)")
		flagFile := filepath.Join(t.TempDir(), "postpone")
		m := newMigration(t, server, schema, "t", "ADD COLUMN w int", checkpointed, func(c *base.MigrationContext) {
			c.PostponeCutOverFlagFile, c.CheckpointIntervalSeconds = flagFile, 300
		})
		result := m.start()
		require.Eventually(t, m.Migrator.context.IsPostponing, time.Minute, 20*time.Millisecond)
		attempt := func() string {
			checkpoint, err := m.Checkpoint(t.Context())
			require.NoError(t, err)
			return rowsOf(t, db, fmt.Sprintf("SELECT COALESCE(JSON_UNQUOTE(JSON_EXTRACT(gh_ost_migration, '$.attempt')), '') FROM _t_ghk WHERE gh_ost_chk_id = %d", checkpoint.Id))[0]
		}

		mustExec(t, db, "RENAME TABLE _t_ghc TO away")
		require.Eventually(t, func() bool { _, err := m.Checkpoint(t.Context()); return errors.Is(err, errUnsure) }, 10*time.Second, 10*time.Millisecond)
		mustExec(t, db, "RENAME TABLE away TO _t_ghc")
		require.Eventually(t, func() bool { _, err := m.Checkpoint(t.Context()); return err == nil }, 10*time.Second, 10*time.Millisecond)

		assert.Empty(t, attempt())
		token := "in doubt"
		m.Migrator.undecided.Store(&token)
		assert.Equal(t, token, attempt())
		m.Migrator.undecided.Store(nil)
		assert.Empty(t, attempt())
		require.NoError(t, os.Remove(flagFile))
		require.NoError(t, requireEnd(t, result, time.Minute))
	})
}

// A run that has ended has nothing to go on with. What stands under an old name by now is not its own.
func TestAResumeAfterTheSwapDropsNoTableThatHasComeSince(t *testing.T) {
	testserver.Both(t, func(t *testing.T, server *testserver.Server) {
		alter := "ADD COLUMN w int"
		for _, test := range []struct {
			name   string
			first  func(*base.MigrationContext) // of the first run
			since  []string
			says   string // "" if it succeeds
			tables []string
		}{
			{"the old table is there", nil, nil, "", []string{"t"}},
			{"the old table is gone", nil, []string{"DROP TABLE _t_del"}, "", []string{"t"}},
			{"another table like it has its name", nil, []string{"RENAME TABLE _t_del TO x", "CREATE TABLE _t_del LIKE x"}, "`_t_del` cannot be proven to be the old table", []string{"_t_del", "_t_ghk", "t", "x"}},
			{"the changelog is another table", nil, []string{"CREATE TABLE _t_ghc (id int)"}, "_t_ghc` is not a changelog", []string{"_t_del", "_t_ghc", "_t_ghk", "t"}},
			{"the old table has a time in its name, and another has none", func(c *base.MigrationContext) { c.TimestampOldTable = true }, []string{"CREATE TABLE _t_del LIKE t"}, "", []string{"_t_del", "t"}},
		} {
			t.Run(test.name, func(t *testing.T) {
				schema := server.Schema(t)
				db := server.SchemaDB(t, schema)
				mustExec(t, db, "CREATE TABLE t (id int PRIMARY KEY, v int, CHECK (v < 100))", "INSERT INTO t VALUES (1, 1)")
				first := []func(*base.MigrationContext){checkpointed}
				if test.first != nil {
					first = append(first, test.first)
				}
				require.NoError(t, requireEnd(t, newMigration(t, server, schema, "t", alter, first...).start(), time.Minute))
				mustExec(t, db, test.since...)

				err := requireEnd(t, newMigration(t, server, schema, "t", alter, checkpointed, resumed, func(c *base.MigrationContext) { c.OkToDropTable = true }).start(), time.Minute)

				if test.says == "" {
					assert.NoError(t, err)
				} else {
					assert.ErrorContains(t, err, test.says)
				}
				assert.Equal(t, test.tables, tablesOf(t, db, schema))
			})
		}
	})
}

// The table that the earlier run has swapped in is not the one that clients use any more: nothing is finished.
func TestAResumeBelievesNoSwapThatWasUndone(t *testing.T) {
	testserver.Both(t, func(t *testing.T, server *testserver.Server) {
		back := "RENAME TABLE t TO x, _t_del TO t"
		for _, test := range []struct {
			name   string
			dieAt  string // of the migration; "": it comes to its end
			revert string // where a revert dies; "": there is none
			since  []string
			says   string
		}{
			{"by a revert that was killed behind its swap", "", cutover.Done.String(), nil, "old structure"},
			{"by hand", "", "", []string{back}, "old structure"},
			{"by hand, after the run was killed with its swap noted", "cleanUp", "", []string{back}, "old structure"},
			{"by hand, after the run was killed before it could note its swap", cutover.Done.String(), "", []string{back, "CREATE TABLE _t_del LIKE t"}, "old structure"},
			{"by another table", "", "", []string{"RENAME TABLE t TO x", "CREATE TABLE t (id int PRIMARY KEY)"}, "is not the table that it has swapped in"},
			{"by nothing", "", "", []string{"RENAME TABLE t TO x"}, "no table"},
		} {
			t.Run(test.name, func(t *testing.T) {
				schema := server.Schema(t)
				db := server.SchemaDB(t, schema)
				mustExec(t, db, "CREATE TABLE t (id int PRIMARY KEY, v int, CHECK (v < 100))", "INSERT INTO t VALUES (1, 1)")
				run := mortalRun(t, server, schema)
				run.DieAt = test.dieAt
				if test.dieAt == "" {
					run.succeed(t)
				} else {
					require.Equal(t, killed, run.run(t))
				}
				if test.revert != "" {
					run.Revert, run.DieAt = "_t_del", test.revert
					require.Equal(t, killed, run.run(t))
				}
				mustExec(t, db, test.since...)
				before := tablesOf(t, db, schema)

				err := requireEnd(t, newMigration(t, server, schema, "t", run.Alter, checkpointed, resumed).start(), time.Minute)

				require.ErrorContains(t, err, "--resume: ")
				assert.ErrorContains(t, err, test.says)
				assert.ErrorContains(t, err, "Nothing was changed")
				assert.Equal(t, before, tablesOf(t, db, schema))
			})
		}
	})
}

// A table that was altered at once since the swap is the same table.
func TestAResumeAfterTheSwapMindsNoLaterInstantAlter(t *testing.T) {
	testserver.Both(t, func(t *testing.T, server *testserver.Server) {
		schema := server.Schema(t)
		db := server.SchemaDB(t, schema)
		mustExec(t, db, "CREATE TABLE t (id int PRIMARY KEY, v int)", "INSERT INTO t VALUES (1, 1)")
		run := mortalRun(t, server, schema)
		run.DieAt = "cleanUp"
		require.Equal(t, killed, run.run(t))
		mustExec(t, db, "ALTER TABLE t ADD COLUMN later int, ALGORITHM=INSTANT")

		require.NoError(t, requireEnd(t, newMigration(t, server, schema, "t", run.Alter, checkpointed, resumed).start(), time.Minute))

		assert.Equal(t, []string{"_t_del", "_t_ghk", "t"}, tablesOf(t, db, schema))
	})
}

// Whoever resumes without --checkpoint can still undo the migration.
func TestARunResumedWithoutCheckpointsNotesItsSwap(t *testing.T) {
	testserver.Both(t, func(t *testing.T, server *testserver.Server) {
		schema := server.Schema(t)
		db := server.SchemaDB(t, schema)
		mustExec(t, db, "CREATE TABLE t (id int PRIMARY KEY, v int)", "INSERT INTO t VALUES (1, 1), (2, 2)")
		run := interrupted(t, server, schema, false)

		require.NoError(t, requireEnd(t, newMigration(t, server, schema, "t", run.Alter, resumed).start(), time.Minute))
		mustExec(t, db, "UPDATE t SET v = 3 WHERE id = 1")
		require.NoError(t, requireEnd(t, newRevert(t, server, schema, "_t_del").startRevert(), time.Minute))

		assert.Equal(t, []string{"1,3", "2,2"}, rowsOf(t, db, "SELECT * FROM t"))
	})
}

// What the refusal advises helps, whatever the first run called the old table.
func TestAResumeWhoseOldTablesNameIsTakenGoesOnUnderAnother(t *testing.T) {
	testserver.Both(t, func(t *testing.T, server *testserver.Server) {
		timestamped := func(c *base.MigrationContext) { c.TimestampOldTable = true }
		for _, first := range []struct {
			name    string
			options []func(*base.MigrationContext)
		}{{"plain name", nil}, {"name with a time", []func(*base.MigrationContext){timestamped}}} {
			t.Run(first.name, func(t *testing.T) {
				schema := server.Schema(t)
				db := server.SchemaDB(t, schema)
				mustExec(t, db, "CREATE TABLE t (id int PRIMARY KEY, v int)", "INSERT INTO t VALUES (1, 1)")
				alter := "ADD COLUMN w int"
				stopWhenPostponed(t, newMigration(t, server, schema, "t", alter, append(first.options, checkpointed, func(c *base.MigrationContext) {
					c.PostponeCutOverFlagFile = filepath.Join(t.TempDir(), "postpone")
				})...))
				var old string
				require.NoError(t, db.QueryRow("SELECT JSON_UNQUOTE(JSON_EXTRACT(gh_ost_migration, '$.old')) FROM _t_ghk ORDER BY gh_ost_chk_id DESC LIMIT 1").Scan(&old))
				mustExec(t, db, "CREATE TABLE "+old+" (i int)")
				time.Sleep(time.Second) // names hold the second
				if first.options == nil {
					err := requireEnd(t, newMigration(t, server, schema, "t", alter, checkpointed, resumed).start(), time.Minute)
					require.ErrorContains(t, err, "--timestamp-old-table")
				}

				require.NoError(t, requireEnd(t, newMigration(t, server, schema, "t", alter, checkpointed, resumed, timestamped).start(), time.Minute))

				left := tablesOf(t, db, schema)
				require.Len(t, left, 4, "%v", left)
				assert.Contains(t, left, old)
				for _, table := range left {
					if table != old && strings.HasSuffix(table, "_del") {
						require.NoError(t, requireEnd(t, newRevert(t, server, schema, table).startRevert(), time.Minute), "it can be undone")
					}
				}
				assert.Equal(t, []string{"1,1"}, rowsOf(t, db, "SELECT * FROM t"))
			})
		}
	})
}

func TestARunThatHasNotBegunToCopyLeavesNothingAndDoesNotSayHowToGoOn(t *testing.T) {
	server := testserver.Shared(t, testserver.MySQL)
	schema := server.Schema(t)
	db := server.SchemaDB(t, schema)
	mustExec(t, db, "CREATE TABLE t (id int PRIMARY KEY, v int)")
	hooks := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(hooks, "gh-ost-on-before-row-copy"), []byte("#!/bin/sh\nexit 1\n"), 0o700)) //nolint:gosec // it is run

	m := newMigration(t, server, schema, "t", "ADD COLUMN w int", checkpointed, func(c *base.MigrationContext) { c.HooksPath = hooks })
	require.ErrorContains(t, requireEnd(t, m.start(), time.Minute), "hook")

	assert.Equal(t, []string{"t"}, tablesOf(t, db, schema))
	assert.False(t, m.log.contains("with --resume"))
}
