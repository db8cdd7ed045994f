package logic

import (
	gosql "database/sql"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/github/gh-ost/go/base"
	"github.com/github/gh-ost/go/internal/ledger"
	"github.com/github/gh-ost/go/internal/testserver"
)

// checkpointed makes a run keep checkpoints.
func checkpointed(c *base.MigrationContext) { c.Checkpoint, c.CheckpointIntervalSeconds = true, 1 }

func byGTID(c *base.MigrationContext) { c.UseGTIDs = true }

// newRevert prepares the revert of a migration that has left the old table.
func newRevert(t *testing.T, server *testserver.Server, schema, oldTable string, options ...func(*base.MigrationContext)) *migration {
	return newMigration(t, server, schema, "t", "", append(options, func(c *base.MigrationContext) {
		c.Revert, c.OldTableName = true, oldTable
	})...)
}

// revert carries it out.
func (m *migration) startRevert() <-chan error {
	result := make(chan error, 1)
	go func() { result <- m.Revert() }()
	return result
}

// mustExec runs statements.
func mustExec(t *testing.T, db *gosql.DB, statements ...string) {
	t.Helper()
	for _, statement := range statements {
		_, err := db.Exec(statement)
		require.NoError(t, err, statement)
	}
}

// rowsOf returns a query's rows as text.
func rowsOf(t *testing.T, db *gosql.DB, query string) (texts []string) {
	t.Helper()
	rows, err := db.Query(query)
	require.NoError(t, err)
	defer rows.Close()
	columns, err := rows.Columns()
	require.NoError(t, err)
	for rows.Next() {
		values := make([]gosql.NullString, len(columns))
		targets := make([]any, len(columns))
		for i := range values {
			targets[i] = &values[i]
		}
		require.NoError(t, rows.Scan(targets...))
		text := ""
		for i, value := range values {
			if i > 0 {
				text += ","
			}
			if value.Valid {
				text += value.String
			} else {
				text += "NULL"
			}
		}
		texts = append(texts, text)
	}
	require.NoError(t, rows.Err())
	return texts
}

// Writers go on before, during and after the migration, its revert, and the revert of that: each time the table under its
// name has every write.
func TestAMigrationIsRevertedUnderWritersAndThatAgain(t *testing.T) {
	t.Parallel()
	testserver.Both(t, func(t *testing.T, server *testserver.Server) {
		for _, gtid := range []bool{false, true} {
			t.Run(fmt.Sprintf("gtid %v", gtid), func(t *testing.T) {
				schema := server.Schema(t)
				load := startLoad(t, server, schema, "t", ledger.Options{Rows: 2000, Writers: 8, Readers: 1})
				options := []func(*base.MigrationContext){checkpointed}
				if gtid {
					options = append(options, byGTID)
				}
				m := newMigration(t, server, schema, "t", "ADD COLUMN extra int NOT NULL DEFAULT 7, ADD KEY (counter)", options...)
				require.NoError(t, requireEnd(t, m.start(), time.Minute))
				require.True(t, isMigrated(t, load))
				time.Sleep(time.Second) // writers go on

				require.NoError(t, requireEnd(t, newRevert(t, server, schema, "_t_del", options...).startRevert(), time.Minute))
				assert.False(t, isMigrated(t, load))
				assert.Equal(t, []string{"_t_ghk", "_t_rev_del", "t"}, tablesOf(t, load.db, schema))
				time.Sleep(time.Second)

				require.NoError(t, requireEnd(t, newRevert(t, server, schema, "_t_rev_del", options...).startRevert(), time.Minute))
				assert.True(t, isMigrated(t, load))
				assert.Equal(t, []string{"_t_del", "_t_ghk", "t"}, tablesOf(t, load.db, schema))

				load.requireNothingLost(t, "t")
			})
		}
	})
}

// Columns that were renamed are mapped back; those that were dropped have their old values in rows that were changed since,
// also where a row's key was, and their defaults in new rows.
func TestARevertBringsRenamedAndDroppedColumnsBack(t *testing.T) {
	t.Parallel()
	testserver.Both(t, func(t *testing.T, server *testserver.Server) {
		schema := server.Schema(t)
		db := server.SchemaDB(t, schema)
		mustExec(t, db, "CREATE TABLE t (id int PRIMARY KEY, name varchar(20), gone varchar(20) NOT NULL, turned int DEFAULT 5, u int, UNIQUE KEY (u))",
			"INSERT INTO t VALUES (1, 'one', 'g1', 11, 1), (2, 'two', 'g2', 12, 2), (3, 'three', 'g3', 13, 3), (4, 'four', 'g4', 14, 4)")
		m := newMigration(t, server, schema, "t", "RENAME COLUMN name TO title, DROP COLUMN gone, DROP COLUMN turned, ADD COLUMN turned varchar(10) DEFAULT 'new', MODIFY id bigint", checkpointed,
			func(c *base.MigrationContext) { c.ApproveRenamedColumns = true })
		require.NoError(t, requireEnd(t, m.start(), time.Minute))
		mustExec(t, db, "UPDATE t SET title = 'uno' WHERE id = 1", "UPDATE t SET id = 20 WHERE id = 2", "DELETE FROM t WHERE id = 3",
			"INSERT INTO t (id, title, u) VALUES (5, 'five', 5)", "UPDATE t SET turned = 'x' WHERE id = 4",
			"UPDATE t SET u = NULL WHERE id = 1", "UPDATE t SET u = 1 WHERE id = 4", "UPDATE t SET u = 4 WHERE id = 1") // hand u over

		require.NoError(t, requireEnd(t, newRevert(t, server, schema, "_t_del").startRevert(), time.Minute))

		assert.Equal(t, []string{"1,uno,g1,11,4", "4,four,g4,14,1", "5,five,,5,5", "20,two,g2,12,2"},
			rowsOf(t, db, "SELECT id, name, gone, turned, u FROM t ORDER BY id"))
	})
}

// A revert that was killed half-way has applied a part; the next one applies everything once more, and nothing suffers.
func TestARevertIsRepeatedAfterAKill(t *testing.T) {
	t.Parallel()
	testserver.Both(t, func(t *testing.T, server *testserver.Server) {
		schema := server.Schema(t)
		load := startLoad(t, server, schema, "t", ledger.Options{Rows: 1000, Writers: 4, Pause: 10 * time.Millisecond, Definitions: []string{"own int NOT NULL DEFAULT 3"}})
		run := mortalRun(t, server, schema)
		run.Alter = "DROP COLUMN own, ADD COLUMN extra int"
		run.succeed(t)
		time.Sleep(2 * time.Second)
		run.Revert = "_t_del"
		for _, times := range []int{1, 3, 2} {
			run.DieAt, run.Times = "applied", times
			require.Equal(t, killed, run.run(t))
		}
		run.succeed(t)

		load.requireNothingLost(t, "t")
		assert.False(t, isMigrated(t, load))
		assert.Equal(t, []string{"3"}, rowsOf(t, load.db, "SELECT DISTINCT own FROM t"))
	})
}

func TestWithoutExecuteNothingIsDroppedOrChanged(t *testing.T) {
	t.Parallel()
	testserver.Both(t, func(t *testing.T, server *testserver.Server) {
		schema := server.Schema(t)
		db := server.SchemaDB(t, schema)
		mustExec(t, db, "CREATE TABLE t (id int PRIMARY KEY, v int)", "INSERT INTO t VALUES (1, 1)")
		require.NoError(t, requireEnd(t, newMigration(t, server, schema, "t", "ADD COLUMN w int", checkpointed).start(), time.Minute))
		mustExec(t, db, "UPDATE t SET v = 2")
		before := tablesOf(t, db, schema)

		require.NoError(t, requireEnd(t, newRevert(t, server, schema, "_t_del", func(c *base.MigrationContext) { c.Noop = true }).startRevert(), time.Minute))

		assert.Equal(t, before, tablesOf(t, db, schema))
		assert.Equal(t, []string{"1,1"}, rowsOf(t, db, "SELECT * FROM _t_del"))
	})
}

// interrupted leaves a migration of t behind that was killed while it waited for its cut-over.
func interrupted(t *testing.T, server *testserver.Server, schema string, gtid bool) mortal {
	run := mortalRun(t, server, schema)
	run.GTID, run.Alter = gtid, "ADD COLUMN w int"
	run.DieAt = "swap"
	require.Equal(t, killed, run.run(t))
	return run
}

func TestAResumeOrRevertThatCannotBeRightIsRefusedAndChangesNothing(t *testing.T) {
	t.Parallel()
	resumed := func(c *base.MigrationContext) { c.Resume, c.Checkpoint = true, true }
	type refusal struct {
		name    string
		given   func(t *testing.T, server *testserver.Server, schema string, db *gosql.DB)
		alter   string
		options []func(*base.MigrationContext)
		revert  string
		says    []string
	}
	kill := func(t *testing.T, server *testserver.Server, schema string, _ *gosql.DB) {
		interrupted(t, server, schema, false)
	}
	killAnd := func(statements ...string) func(*testing.T, *testserver.Server, string, *gosql.DB) {
		return func(t *testing.T, server *testserver.Server, schema string, db *gosql.DB) {
			kill(t, server, schema, db)
			mustExec(t, db, statements...)
		}
	}
	migrateAnd := func(statements ...string) func(*testing.T, *testserver.Server, string, *gosql.DB) {
		return func(t *testing.T, server *testserver.Server, schema string, db *gosql.DB) {
			require.NoError(t, requireEnd(t, newMigration(t, server, schema, "t", "ADD COLUMN w int", checkpointed).start(), time.Minute))
			mustExec(t, db, statements...)
		}
	}
	nothing := func(*testing.T, *testserver.Server, string, *gosql.DB) {}
	both := []func(*base.MigrationContext){resumed}
	for _, r := range []refusal{
		{"no checkpoint to resume from", nothing, "ADD COLUMN w int", both, "", []string{"--resume", "no checkpoint found", "_t_ghk", "anew"}},
		{"a foreign checkpoint table", killAnd("DROP TABLE _t_ghk", "CREATE TABLE _t_ghk (id int)"), "ADD COLUMN w int", both, "", []string{"_t_ghk", "not a checkpoint table"}},
		{"another ALTER", kill, "ADD COLUMN x int", both, "", []string{"--alter", "ADD COLUMN w int", "ADD COLUMN x int"}},
		{"the other kind of place", kill, "ADD COLUMN w int", append(both, byGTID), "", []string{"--gtid"}},
		{"a ghost of another run", killAnd("DROP TABLE _t_gho", "CREATE TABLE _t_gho LIKE t", "ALTER TABLE _t_gho ADD COLUMN w int"), "ADD COLUMN w int", both, "", []string{"_t_gho", "another run"}},
		{"an altered original", killAnd("ALTER TABLE t ADD COLUMN y int"), "ADD COLUMN w int", both, "", []string{"original", "changed"}},
		{"a ghost that is gone", killAnd("DROP TABLE _t_gho"), "ADD COLUMN w int", both, "", []string{"_t_gho", "gone"}},
		{"a changelog that is gone", killAnd("DROP TABLE _t_ghc"), "ADD COLUMN w int", both, "", []string{"_t_ghc", "gone"}},
		{"a truncated original", killAnd("TRUNCATE t"), "ADD COLUMN w int", both, "", []string{"TRUNCATE"}},
		{"no checkpoint to revert by", nothing, "", nil, "_t_del", []string{"--revert", "no checkpoint found", "--checkpoint"}},
		{"a migration that has not swapped", kill, "", nil, "_t_del", []string{"--revert", "not one after a cut-over", "--resume"}},
		{"the wrong old table", migrateAnd("CREATE TABLE other LIKE t"), "", nil, "other", []string{"--old-table=other", "_t_del"}},
		{"an old table with other capitals", migrateAnd("CREATE TABLE _T_del LIKE t"), "", nil, "_T_del", []string{"--old-table=_T_del", "_t_del"}},
		{"an old table that was made anew", migrateAnd("DROP TABLE _t_del", "CREATE TABLE _t_del (id int PRIMARY KEY, v int)"), "", nil, "_t_del", []string{"_t_del", "not the one"}},
		{"an old table that is gone", migrateAnd("DROP TABLE _t_del"), "", nil, "_t_del", []string{"_t_del", "gone"}},
		{"a table that was reverted already", migrateAnd("RENAME TABLE t TO _t_rev_del, _t_del TO t"), "", nil, "_t_del", []string{"_t_rev_del", "already", "--cleanup"}},
		{"a table that was altered since", migrateAnd("ALTER TABLE t ADD COLUMN y int"), "", nil, "_t_del", []string{"`t` has changed"}},
		{"a table that was truncated since", migrateAnd("TRUNCATE t"), "", nil, "_t_del", []string{"TRUNCATE"}},
	} {
		t.Run(r.name, func(t *testing.T) {
			t.Parallel()
			server := testserver.Shared(t, testserver.MySQL)
			schema := server.Schema(t)
			db := server.SchemaDB(t, schema)
			mustExec(t, db, "CREATE TABLE t (id int PRIMARY KEY, v int)", "INSERT INTO t VALUES (1, 1), (2, 2)")
			r.given(t, server, schema, db)
			before := tablesOf(t, db, schema)

			var err error
			if r.revert != "" {
				err = requireEnd(t, newRevert(t, server, schema, r.revert, r.options...).startRevert(), time.Minute)
			} else {
				err = requireEnd(t, newMigration(t, server, schema, "t", r.alter, r.options...).start(), time.Minute)
			}

			require.Error(t, err)
			for _, text := range r.says {
				assert.ErrorContains(t, err, text)
			}
			assert.Equal(t, before, tablesOf(t, db, schema))
		})
	}
}

func TestPurgedBinaryLogsAreRefusedByResumeAndRevert(t *testing.T) {
	t.Parallel()
	testserver.BothFresh(t, testserver.Options{}, func(t *testing.T, server *testserver.Server) {
		schema := server.Schema(t)
		db := server.SchemaDB(t, schema)
		mustExec(t, db, "CREATE TABLE t (id int PRIMARY KEY, v int)", "INSERT INTO t VALUES (1, 1), (2, 2)")
		purge := func() {
			mustExec(t, db, "FLUSH BINARY LOGS")
			require.Eventually(t, func() bool { // a file that is still being sent to who was killed stays
				files := rowsOf(t, db, "SHOW BINARY LOGS")
				file, _, _ := strings.Cut(files[len(files)-1], ",")
				mustExec(t, db, "PURGE BINARY LOGS TO '"+file+"'")
				return len(rowsOf(t, db, "SHOW BINARY LOGS")) == 1
			}, 30*time.Second, 200*time.Millisecond)
		}
		run := interrupted(t, server, schema, false)
		purge()
		before := tablesOf(t, db, schema)
		resume := newMigration(t, server, schema, "t", run.Alter, checkpointed, func(c *base.MigrationContext) { c.Resume = true })

		err := requireEnd(t, resume.start(), time.Minute)

		assert.ErrorContains(t, err, "purged")
		assert.Equal(t, before, tablesOf(t, db, schema))

		run.Resume, run.DropGhost = false, true
		run.succeed(t)
		purge()
		before = tablesOf(t, db, schema)

		err = requireEnd(t, newRevert(t, server, schema, "_t_del").startRevert(), time.Minute)

		assert.ErrorContains(t, err, "purged")
		assert.Equal(t, before, tablesOf(t, db, schema))
	})
}
