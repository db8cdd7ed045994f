package logic

import (
	gosql "database/sql"
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
	"github.com/github/gh-ost/go/internal/testserver"
	"github.com/github/gh-ost/go/logic/cutover"
	"github.com/github/gh-ost/go/mysql"
	"github.com/github/gh-ost/go/sql"
)

// site is a schema with a table to migrate, and what migrations leave beside it.
type site struct {
	t      *testing.T
	server *testserver.Server
	schema string
	table  string
	db     *gosql.DB
}

func newSite(t *testing.T, server *testserver.Server, table string) *site {
	s := &site{t: t, server: server, schema: server.Schema(t), table: table}
	s.db = server.SchemaDB(t, s.schema)
	s.exec("CREATE TABLE "+sql.EscapeName(table)+" (id int PRIMARY KEY AUTO_INCREMENT, n int)", "INSERT INTO "+sql.EscapeName(table)+" (n) VALUES (1), (2), (3)")
	return s
}

func onSites(t *testing.T, test func(s *site)) {
	testserver.Both(t, func(t *testing.T, server *testserver.Server) { test(newSite(t, server, "t")) })
}

func (s *site) exec(statements ...string) {
	s.t.Helper()
	for _, statement := range statements {
		_, err := s.db.Exec(statement)
		require.NoError(s.t, err, statement)
	}
}

// interrupt runs a migration that is panicked when its tables stand, and returns it.
func (s *site) interrupt(options ...func(*base.MigrationContext)) *migration {
	s.t.Helper()
	hooks := newHookRecorder()
	m := newMigration(s.t, s.server, s.schema, s.table, "ADD COLUMN extra int NOT NULL DEFAULT 7", append(options, func(c *base.MigrationContext) { c.Hooks = hooks })...)
	hooks.at["before-row-copy"] = func() error {
		m.abort(errors.New("somebody has had enough"))
		return nil
	}
	require.Error(s.t, requireEnd(s.t, m.start(), time.Minute))
	return m
}

func dryRun(c *base.MigrationContext) { c.Noop = true }

// cleanUp is --cleanup --execute.
func (s *site) cleanUp(options ...func(*base.MigrationContext)) error {
	s.t.Helper()
	result := make(chan error, 1)
	m := newMigration(s.t, s.server, s.schema, s.table, "", options...)
	go func() { result <- m.Cleanup() }()
	return requireEnd(s.t, result, time.Minute)
}

func (s *site) tables() []string { return tablesOf(s.t, s.db, s.schema) }

func TestCleanupRemovesWhatAPanickedRunHasLeft(t *testing.T) {
	for _, table := range []string{"t", "my table", "b`a'c\"k", "ä日", "x%_y", strings.Repeat("long", 16)} {
		t.Run(table, func(t *testing.T) {
			testserver.Both(t, func(t *testing.T, server *testserver.Server) {
				s := newSite(t, server, table)
				m := s.interrupt(func(c *base.MigrationContext) { c.Checkpoint = true })
				left := s.tables()
				require.Len(t, left, 4, "%v", left)
				assert.True(t, m.log.contains("to remove all that is left of this migration: gh-ost --cleanup --execute --host=127.0.0.1 "))

				require.NoError(t, s.cleanUp(dryRun))
				assert.Equal(t, left, s.tables(), "without --execute")

				require.NoError(t, s.cleanUp())
				assert.Equal(t, []string{table}, s.tables())

				require.NoError(t, s.cleanUp(), "nothing is left")
			})
		})
	}
}

func TestCleanupHeedsForcedNames(t *testing.T) {
	onSites(t, func(s *site) {
		forced := func(c *base.MigrationContext) { c.ForceTmpTableName = "forced" }
		m := s.interrupt(forced)
		assert.True(s.t, m.log.contains(" --force-table-names=forced"))
		require.NoError(s.t, s.cleanUp())
		assert.Len(s.t, s.tables(), 3)
		require.NoError(s.t, s.cleanUp(forced))
		assert.Equal(s.t, []string{"t"}, s.tables())
	})
}

func TestCleanupRefusesWhileAMigrationRuns(t *testing.T) {
	testserver.Both(t, func(t *testing.T, server *testserver.Server) {
		m, load, _ := liveMigration(t, server, nil)
		result := m.start()
		require.Eventually(t, m.context.IsPostponing, time.Minute, 10*time.Millisecond)
		s := &site{t: t, server: server, schema: m.context.DatabaseName, table: "t", db: load.db}
		before := s.tables()

		err := s.cleanUp()

		require.ErrorContains(t, err, "another gh-ost process is already migrating")
		require.ErrorContains(t, err, fmt.Sprintf("connection %d holds the lock", m.migrationLock.session.ID()))
		assert.Equal(t, before, s.tables())
		m.context.RequestUnpostpone(time.Now())
		require.NoError(t, requireEnd(t, result, time.Minute))
		load.requireNothingLost(t, "t")
	})
}

func TestCleanupLeavesWhatIsNotProven(t *testing.T) {
	for name, others := range map[string]struct {
		interrupted bool
		statements  []string
		stay        []string
	}{
		"tables of somebody":                {false, []string{"CREATE TABLE _t_gho (id int)", "CREATE TABLE _t_ghc (id int)", "CREATE TABLE _t_ghk (id int)", "CREATE TABLE _t_del (id int)"}, []string{"_t_del", "_t_ghc", "_t_ghk", "_t_gho"}},
		"views":                             {false, []string{"CREATE VIEW _t_gho AS SELECT 1", "CREATE VIEW _t_ghc AS SELECT 1", "CREATE VIEW _t_ghk AS SELECT 1", "CREATE VIEW _t_del AS SELECT 1"}, []string{"_t_del", "_t_ghc", "_t_ghk", "_t_gho"}},
		"a ghost made anew":                 {true, []string{"CREATE TABLE mine LIKE _t_gho", "DROP TABLE _t_gho", "RENAME TABLE mine TO _t_gho"}, []string{"_t_gho"}},
		"a ghost that was altered":          {true, []string{"ALTER TABLE _t_gho ADD COLUMN mine int"}, []string{"_t_gho"}},
		"a ghost that was truncated":        {true, []string{"TRUNCATE TABLE _t_gho"}, []string{"_t_gho"}},
		"a view in the ghost's place":       {true, []string{"DROP TABLE _t_gho", "CREATE VIEW _t_gho AS SELECT 1"}, []string{"_t_gho"}},
		"an old table":                      {true, []string{"CREATE TABLE _t_del LIKE t"}, []string{"_t_del"}},
		"no changelog":                      {true, []string{"DROP TABLE _t_ghc"}, []string{"_t_gho"}},
		"a changelog of other columns":      {true, []string{"DROP TABLE _t_ghc", "CREATE TABLE _t_ghc (id int) COMMENT='" + GhostChangelogTableComment + "'"}, []string{"_t_gho"}},
		"a changelog without a record":      {true, []string{"DELETE FROM _t_ghc WHERE hint = 'ghost table'"}, []string{"_t_gho"}},
		"a changelog with a broken record":  {true, []string{"UPDATE _t_ghc SET value = '{}' WHERE hint = 'ghost table'"}, []string{"_t_gho"}},
		"a record of another server":        {true, []string{`UPDATE _t_ghc SET value = REPLACE(value, '"server":"\\"', '"server":"\\"x') WHERE hint = 'ghost table'`}, []string{"_t_gho"}},
		"the original in the ghost's place": {true, []string{"DROP TABLE _t_gho", "RENAME TABLE t TO _t_gho", "CREATE TABLE t LIKE _t_gho"}, []string{"_t_gho"}},
	} {
		t.Run(name, func(t *testing.T) {
			onSites(t, func(s *site) {
				if others.interrupted {
					s.interrupt()
				}
				s.exec(others.statements...)

				require.NoError(s.t, s.cleanUp())

				assert.Equal(s.t, append(others.stay, "t"), s.tables())
			})
		})
	}
}

func TestCleanupRemovesSentriesThatNobodyIsAboutToUse(t *testing.T) {
	onSites(t, func(s *site) {
		for _, name := range []string{"_t_del", "_t_20261130030405_del", "_t_rev_del", "_t_20261130030406_rev_del", "_t_20261130030407_del", "_other_del", "_t_2026_del"} {
			s.exec("CREATE TABLE " + name + " (id int PRIMARY KEY) COMMENT='" + sentryComment + "'")
		}
		conn, err := s.db.Conn(s.t.Context())
		require.NoError(s.t, err)
		defer conn.Close()
		c := base.NewMigrationContext()
		c.DatabaseName, c.OriginalTableName = s.schema, "t_20261130030407" // whose sentry could have that name, too
		var granted int
		require.NoError(s.t, conn.QueryRowContext(s.t.Context(), "SELECT GET_LOCK(?, 0)", c.HelperLockName("_t_20261130030407_del")).Scan(&granted))

		require.NoError(s.t, s.cleanUp())

		assert.Equal(s.t, []string{"_other_del", "_t_20261130030407_del", "_t_2026_del", "t"}, s.tables())
	})
}

func TestCleanupKeepsTheProofUntilItCanBeSeen(t *testing.T) {
	onSites(t, func(s *site) {
		s.interrupt()
		s.server.Exec(s.t, "CREATE USER IF NOT EXISTS humble IDENTIFIED BY 'humble'; GRANT ALL ON *.* TO humble; REVOKE PROCESS ON *.* FROM humble")
		require.NoError(s.t, s.cleanUp(func(c *base.MigrationContext) {
			c.InspectorConnectionConfig.User, c.InspectorConnectionConfig.Password = "humble", "humble"
		}))
		assert.Equal(s.t, []string{"_t_ghc", "_t_gho", "t"}, s.tables())

		require.NoError(s.t, s.cleanUp())
		assert.Equal(s.t, []string{"t"}, s.tables())
	})
}

func TestCleanupKeepsWhatARevertNeeds(t *testing.T) {
	onSites(t, func(s *site) {
		m := newMigration(s.t, s.server, s.schema, s.table, "ADD COLUMN extra int", func(c *base.MigrationContext) { c.Checkpoint = true })
		require.NoError(s.t, requireEnd(s.t, m.start(), time.Minute))
		require.Equal(s.t, []string{"_t_del", "_t_ghk", "t"}, s.tables())

		require.NoError(s.t, s.cleanUp())
		assert.Equal(s.t, []string{"_t_del", "_t_ghk", "t"}, s.tables())

		s.exec("DROP TABLE _t_del")
		require.NoError(s.t, s.cleanUp())
		assert.Equal(s.t, []string{"t"}, s.tables())
	})
}

// Once a cut-over has swapped the ghost in, clients have written to it, and it is no leftover when somebody has gone back by
// hand, whether the run has come to note the swap or not.
func TestCleanupNeverRemovesATableThatWasSwappedIn(t *testing.T) {
	back := "RENAME TABLE t TO _t_gho, _t_del TO t"
	for _, test := range []struct {
		name       string
		checkpoint bool
		dieAt      string   // of the migration; "": it comes to its end
		revert     bool     // and a revert of it
		since      []string // statements
		says       string
	}{
		{"a migration that has ended", true, "", false, []string{"INSERT INTO t (n) VALUES (77)", back}, "has swapped this table"},
		{"one that was killed when it had noted the swap", true, "cleanUp", false, []string{"INSERT INTO t (n) VALUES (77)", back}, "has swapped this table"},
		{"one that was killed before it could note the swap", true, cutover.Done.String(), false, []string{"INSERT INTO t (n) VALUES (77)", back}, "not noted"},
		{"one without checkpoints", false, cutover.Done.String(), false, []string{"INSERT INTO t (n) VALUES (77)", back}, "not noted"},
		{"one whose changelog is gone", true, cutover.Done.String(), false, []string{"DROP TABLE _t_ghc", "INSERT INTO t (n) VALUES (77)", back}, "not noted"},
		{"a revert, and back to the new table", true, "", true, []string{"INSERT INTO t (n) VALUES (77)", "RENAME TABLE t TO _t_gho, _t_rev_del TO t"}, "has swapped this table"},
		{"a revert, and the new table set aside", true, "", true, []string{"INSERT INTO _t_rev_del (n) VALUES (77)", "RENAME TABLE _t_rev_del TO _t_gho"}, "has swapped this table"},
	} {
		t.Run(test.name, func(t *testing.T) {
			onSites(t, func(s *site) {
				run := mortalRun(s.t, s.server, s.schema)
				run.Checkpoint, run.DieAt = test.checkpoint, test.dieAt
				if test.dieAt == "" {
					run.succeed(s.t)
				} else {
					require.Equal(s.t, killed, run.run(s.t))
				}
				if test.revert {
					run.Revert = "_t_del"
					run.succeed(s.t)
				}
				s.exec(test.since...)

				said := stdoutOf(s.t, func() { require.NoError(s.t, s.cleanUp()) })

				assert.Regexp(s.t, "left as it is: .*_t_gho`: .*"+test.says, said)
				assert.Equal(s.t, []string{"77"}, rowsOf(s.t, s.db, "SELECT n FROM _t_gho WHERE n = 77"))
				require.NoError(s.t, s.cleanUp())
				assert.Contains(s.t, s.tables(), "_t_gho", "also when the records are gone")
			})
		})
	}
}

// An attempt that is known to have failed, or whose sentry still stands, has swapped nothing.
func TestCleanupRemovesTheGhostOfAnAttemptThatHasSwappedNothing(t *testing.T) {
	onSites(t, func(s *site) {
		for _, point := range []string{cutover.Draining.String(), cutover.Renaming.String()} {
			run := mortalRun(s.t, s.server, s.schema)
			run.DieAt = point
			require.Equal(s.t, killed, run.run(s.t))
			for until := time.Now().Add(30 * time.Second); s.cleanUp() != nil && time.Now().Before(until); {
				time.Sleep(200 * time.Millisecond) // the server has to notice that the sessions are gone
			}
			assert.Equal(s.t, []string{"t"}, s.tables(), point)
		}

		hooks := newHookRecorder()
		m := newMigration(s.t, s.server, s.schema, s.table, "ADD COLUMN extra int", checkpointed, func(c *base.MigrationContext) { c.Hooks = hooks; c.SetDefaultNumRetries(1) })
		m.seam = func(point string) {
			if point == cutover.Draining.String() {
				m.abort(errors.New("somebody has had enough"))
			}
		}
		require.Error(s.t, requireEnd(s.t, m.start(), time.Minute))
		require.Contains(s.t, s.tables(), "_t_gho")
		require.NoError(s.t, s.cleanUp())
		assert.Equal(s.t, []string{"t"}, s.tables())
	})
}

// stdoutOf returns what is printed meanwhile.
func stdoutOf(t *testing.T, do func()) string {
	t.Helper()
	file, err := os.Create(filepath.Join(t.TempDir(), "stdout"))
	require.NoError(t, err)
	defer file.Close()
	stdout := os.Stdout
	os.Stdout = file
	defer func() { os.Stdout = stdout }()
	do()
	text, err := os.ReadFile(file.Name())
	require.NoError(t, err)
	return string(text)
}

func TestCleanupThatCannotRemoveATableSaysSoAndCanBeRepeated(t *testing.T) {
	s := newSite(t, testserver.Shared(t, testserver.MySQL), "t")
	s.interrupt()
	conn, err := s.db.Conn(t.Context())
	require.NoError(t, err)
	defer conn.Close()
	for _, statement := range []string{"BEGIN", "SELECT * FROM _t_gho"} {
		_, err := conn.ExecContext(t.Context(), statement)
		require.NoError(t, err)
	}

	err = s.cleanUp()

	require.ErrorContains(t, err, "removing `"+s.schema+"`.`_t_gho`")
	assert.Equal(t, []string{"_t_ghc", "_t_gho", "t"}, s.tables())
	_, err = conn.ExecContext(t.Context(), "COMMIT")
	require.NoError(t, err)
	require.NoError(t, s.cleanUp())
	assert.Equal(t, []string{"t"}, s.tables())
}

func TestCleanupOfWhatIsNotThere(t *testing.T) {
	testserver.Both(t, func(t *testing.T, server *testserver.Server) {
		s := newSite(t, server, "t")
		s.table = "no such table"
		require.NoError(t, s.cleanUp(), "the original may be gone as well")
		s.schema = "no_such_schema"
		require.ErrorContains(t, s.cleanUp(), "no_such_schema")
	})
}

func TestTheCommandToCleanUpHasWhatWasGivenButNoPassword(t *testing.T) {
	c := base.NewMigrationContext()
	c.InspectorConnectionConfig.Key = mysql.InstanceKey{Hostname: "replica", Port: 3307}
	c.CliUser, c.CliPassword, c.CliMasterPassword = "me", "secret", "secret"
	c.DatabaseName, c.OriginalTableName, c.ForceTmpTableName = "my shop", "o'rders", "x"
	c.UseTLS, c.TLSCACertificate, c.MigrateOnReplica = true, "/etc/ca.pem", true
	assert.Equal(t, `gh-ost --cleanup --execute --host=replica --port=3307 --user=me --ask-pass --migrate-on-replica --ssl --ssl-ca=/etc/ca.pem`+
		` '--database=my shop' '--table=o'\''rders' --force-table-names=x`, cleanUpCommand(c))
}

func TestCleanupWhereTheCaseOfNamesIsIgnored(t *testing.T) {
	server := testserver.Start(t, testserver.Options{Flavor: testserver.MariaDB, Args: []string{"--lower-case-table-names=1"}})
	s := newSite(t, server, "Orders")
	s.interrupt()
	require.Equal(t, []string{"_orders_ghc", "_orders_gho", "orders"}, s.tables())
	s.exec("CREATE TABLE _ORDERS_20261130030405_DEL (id int PRIMARY KEY) COMMENT='" + sentryComment + "'")

	require.NoError(t, s.cleanUp())

	assert.Equal(t, []string{"orders"}, s.tables())
}

// Where the case of names is ignored a table has one lock, however its name is written.
func TestARunKeepsOthersFromItsTableWhoseNameTheyWriteInAnotherCase(t *testing.T) {
	server := testserver.Start(t, testserver.Options{Flavor: testserver.MariaDB, Args: []string{"--lower-case-table-names=1"}})
	for _, name := range []string{"Orders", strings.Repeat("Orders", 10)} {
		t.Run(name, func(t *testing.T) {
			schema := server.Schema(t)
			db := server.SchemaDB(t, schema)
			mustExec(t, db, "CREATE TABLE "+name+" (id int PRIMARY KEY)")
			flagFile := filepath.Join(t.TempDir(), "postpone")
			m := newMigration(t, server, schema, name, "ADD COLUMN w int", func(c *base.MigrationContext) { c.PostponeCutOverFlagFile = flagFile })
			result := m.start()
			require.Eventually(t, m.Migrator.context.IsPostponing, time.Minute, 20*time.Millisecond)

			other := strings.ToUpper(name)
			require.ErrorContains(t, newMigration(t, server, schema, other, "").Cleanup(), "holds the lock")
			require.ErrorContains(t, requireEnd(t, newMigration(t, server, schema, other, "ADD COLUMN x int").start(), time.Minute), "holds the lock")

			require.NoError(t, os.Remove(flagFile))
			require.NoError(t, requireEnd(t, result, time.Minute))
		})
	}
}
