package logic

import (
	gosql "database/sql"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/github/gh-ost/go/base"
	"github.com/github/gh-ost/go/internal/ledger"
	"github.com/github/gh-ost/go/internal/testproxy"
	"github.com/github/gh-ost/go/internal/testserver"
	"github.com/github/gh-ost/go/mysql"
	"github.com/github/gh-ost/go/sql"
)

func instantly(c *base.MigrationContext) { c.AttemptInstantDDL = true }
func inPlace(c *base.MigrationContext)   { c.AttemptInplaceDDL = true }

// directRun is a migration of a table t that may end by altering it directly.
type directRun struct {
	*migration
	t       *testing.T
	server  *testserver.Server
	db      *gosql.DB
	schema  string
	hooks   *hookRecorder
	instant []bool // what the on-success hook was told
}

const directTable = "(id int PRIMARY KEY AUTO_INCREMENT, n int, v varchar(20), e enum('a','b'), KEY vi (v)) CHARSET=utf8mb4"

func newDirectRun(t *testing.T, server *testserver.Server, definition, alter string, options ...func(*base.MigrationContext)) *directRun {
	schema := server.Schema(t)
	r := &directRun{t: t, server: server, db: server.SchemaDB(t, schema), schema: schema, hooks: newHookRecorder()}
	server.Exec(t, "CREATE TABLE "+schema+".t "+definition)
	server.Exec(t, "INSERT INTO "+schema+".t (n) VALUES (1), (2), (3)")
	r.prepare(alter, options...)
	return r
}

func (r *directRun) prepare(alter string, options ...func(*base.MigrationContext)) {
	r.migration = newMigration(r.t, r.server, r.schema, "t", alter, append(options, func(c *base.MigrationContext) {
		c.Hooks = successRecorder{r.hooks, r}
	})...)
	r.t.Cleanup(func() { r.Migrator.context.CancelContext() }) // it must not go on beside other tests
}

// successRecorder notes what the on-success hook is told.
type successRecorder struct {
	*hookRecorder
	run *directRun
}

func (s successRecorder) OnSuccess(instantDDL bool) error {
	s.run.instant = append(s.run.instant, instantDDL)
	return s.hookRecorder.OnSuccess(instantDDL)
}

// tableID identifies the table: a migration leaves another one, a rebuild as well.
func (r *directRun) tableID() []uint64 {
	r.t.Helper()
	identified, err := mysql.Identify(r.t.Context(), r.db)
	require.NoError(r.t, err)
	ids, err := innodbTableIDs(r.t.Context(), r.db, identified.Dialect, sql.TableName{Schema: r.schema, Name: "t"})
	require.NoError(r.t, err)
	require.NotEmpty(r.t, ids)
	return ids
}

// succeed runs to the end and tells whether the table was altered directly, which is held to its promises.
func (r *directRun) succeed() (directly bool) {
	r.t.Helper()
	before := r.tableID()
	require.NoError(r.t, requireEnd(r.t, r.start(), 2*time.Minute))
	directly = slices.Equal(before, r.tableID())
	assert.Equal(r.t, []bool{directly}, r.instant, "the on-success hook")
	if directly {
		assert.Equal(r.t, []string{"t"}, tablesOf(r.t, r.db, r.schema))
		assert.True(r.t, r.log.contains("Success! table `"+r.schema+"`.`t` migrated"))
		assert.True(r.t, r.log.contains("Done migrating"))
		assert.False(r.t, r.log.contains("drop table"), "there is no old table to advise about")
		assert.NotContains(r.t, r.hooks.seen(), "validated")
	} else {
		assert.Equal(r.t, []string{"_t_del", "t"}, tablesOf(r.t, r.db, r.schema))
	}
	assert.NoFileExists(r.t, r.context.ServeSocketFile)
	return directly
}

func (r *directRun) hasColumn(name string) bool {
	r.t.Helper()
	var columns int
	require.NoError(r.t, r.db.QueryRow("SELECT COUNT(*) FROM information_schema.columns WHERE table_schema = ? AND table_name = 't' AND column_name = ?", r.schema, name).Scan(&columns))
	return columns == 1
}

func TestAnInstantChangeIsMadeByTheServerAndLeavesNothing(t *testing.T) {
	testserver.Both(t, func(t *testing.T, server *testserver.Server) {
		r := newDirectRun(t, server, directTable, "ADD COLUMN extra int NOT NULL DEFAULT 7 -- at the end", instantly)
		leaks := goleak.IgnoreCurrent()
		began := time.Now()

		require.True(t, r.succeed())

		assert.Less(t, time.Since(began), 10*time.Second)
		assert.True(t, r.hasColumn("extra"))
		assert.True(t, r.log.contains("Attempting to execute alter with ALGORITHM=INSTANT"))
		assert.True(t, r.log.contains("INSTANT DDL query is: ALTER /* gh-ost */ TABLE `"+r.schema+"`.`t` ALGORITHM=INSTANT, ADD COLUMN"))
		assert.Equal(t, []string{"startup", "success"}, r.hooks.seen())
		assert.Eventually(t, func() bool { return len(sessionsOf(t, server)) == 0 }, 5*time.Second, 20*time.Millisecond)
		goleak.VerifyNone(t, leaks, goleak.IgnoreAnyFunction("github.com/go-sql-driver/mysql.(*mysqlConn).startWatcher.func1"),
			goleak.IgnoreAnyFunction("database/sql.(*DB).connectionOpener"))
	})
}

func TestWhatTheServerDoesNotDoAtOnceIsMigrated(t *testing.T) {
	testserver.Both(t, func(t *testing.T, server *testserver.Server) {
		r := newDirectRun(t, server, directTable, "MODIFY n bigint", instantly, inPlace)

		require.False(t, r.succeed())

		assert.True(t, r.log.contains("ALGORITHM=INSTANT not supported for this change"))
		assert.True(t, r.log.contains("ALGORITHM=INPLACE is not attempted: the server does not do it"))
	})
}

func TestInPlaceIsOnlyWhatChangesDefinitions(t *testing.T) {
	mysqlOnly := map[string]bool{"ADD COLUMN x int": false, "ADD COLUMN x int FIRST": false, "DROP COLUMN n": false}
	for alter, definitionsOnly := range map[string]bool{
		"MODIFY v varchar(50)":                true,
		"RENAME INDEX vi TO wi":               true,
		"ALTER COLUMN n SET DEFAULT 5":        true,
		"COMMENT='my table'":                  true,
		"DROP INDEX vi":                       true,
		"MODIFY e enum('a','b','c')":          true,
		"ADD COLUMN x int":                    true, // on MariaDB
		"ADD COLUMN x int FIRST":              true,
		"DROP COLUMN n":                       true,
		"ADD INDEX ni (n)":                    false,
		"ADD UNIQUE (n)":                      false,
		"MODIFY n int NOT NULL":               false,
		"DROP INDEX vi, ADD INDEX vi (n)":     false,
		"ENGINE=InnoDB":                       false,
		"ADD CHECK (n > 0)":                   false,
		"COMMENT='a', LOCK=NONE":              true,
		"COMMENT='b', ALGORITHM=INPLACE":      true,
		"COMMENT='c', ALGORITHM=COPY":         false,
		"COMMENT='d', LOCK=SHARED":            false,
		"RENAME INDEX vi TO wi, COMMENT='e';": true,
	} {
		t.Run(alter, func(t *testing.T) {
			testserver.Both(t, func(t *testing.T, server *testserver.Server) {
				wanted := definitionsOnly
				if onMySQL, differs := mysqlOnly[alter]; differs && server.Flavor == testserver.MySQL {
					wanted = onMySQL
				}
				r := newDirectRun(t, server, directTable, alter, inPlace)
				assert.Equal(t, wanted, r.succeed())
			})
		})
	}
}

func TestEveryPartitionIsAlteredInPlace(t *testing.T) {
	testserver.Both(t, func(t *testing.T, server *testserver.Server) {
		const parted = "(id int PRIMARY KEY AUTO_INCREMENT, n int, v varchar(20)) PARTITION BY HASH (id) PARTITIONS 3"
		r := newDirectRun(t, server, parted, "MODIFY v varchar(50)", inPlace)
		require.Equal(t, server.Flavor == testserver.MariaDB, r.succeed(), "MySQL does not show the indexes of partitions")
		r = newDirectRun(t, server, parted, "ADD INDEX (n)", inPlace)
		require.False(t, r.succeed())
		r = newDirectRun(t, server, parted, "ADD COLUMN x int", instantly)
		require.True(t, r.succeed())
	})
}

func TestWithoutPROCESSNothingIsShownAndTheTableIsMigrated(t *testing.T) {
	testserver.Both(t, func(t *testing.T, server *testserver.Server) {
		server.Exec(t, "CREATE USER IF NOT EXISTS humble IDENTIFIED BY 'humble'; GRANT ALL ON *.* TO humble; REVOKE PROCESS ON *.* FROM humble")
		r := newDirectRun(t, server, directTable, "MODIFY v varchar(50)", inPlace, func(c *base.MigrationContext) {
			c.InspectorConnectionConfig.User, c.InspectorConnectionConfig.Password = "humble", "humble"
		})
		assert.False(t, r.succeed())
		assert.True(t, r.log.contains("without the privilege PROCESS"))
	})
}

func TestAnAlgorithmOfTheUsersOwnIsNotContradicted(t *testing.T) {
	testserver.Both(t, func(t *testing.T, server *testserver.Server) {
		r := newDirectRun(t, server, directTable, "ADD COLUMN x int, ALGORITHM=INSTANT", instantly, inPlace)
		assert.True(t, r.succeed())
		r = newDirectRun(t, server, directTable, "ADD COLUMN x int, ALGORITHM=COPY", instantly, inPlace)
		assert.False(t, r.succeed())
		assert.True(t, r.log.contains("ALGORITHM=INSTANT is not attempted: --alter says ALGORITHM=COPY"))
	})
}

func TestTheOriginalIsLeftAloneWhereItMustBe(t *testing.T) {
	testserver.Both(t, func(t *testing.T, server *testserver.Server) {
		t.Run("dry run", func(t *testing.T) {
			r := newDirectRun(t, server, directTable, "ADD COLUMN x int", instantly, inPlace, func(c *base.MigrationContext) { c.Noop = true })
			require.NoError(t, requireEnd(t, r.start(), time.Minute))
			assert.False(t, r.hasColumn("x"))
			assert.Equal(t, []bool{false}, r.instant)
			assert.True(t, r.log.contains("The original is not altered directly: this is a dry run"))
		})
		t.Run("columns that are not meant to keep their data", func(t *testing.T) {
			r := newDirectRun(t, server, directTable, "CHANGE n m int", instantly, func(c *base.MigrationContext) { c.SkipRenamedColumns = true })
			assert.False(t, r.succeed())
			var kept int
			require.NoError(t, r.db.QueryRow("SELECT COUNT(m) FROM t").Scan(&kept))
			assert.Zero(t, kept)
		})
		t.Run("foreign keys that are to go", func(t *testing.T) {
			r := newDirectRun(t, server, directTable, "ADD COLUMN x int", instantly, func(c *base.MigrationContext) { c.DiscardForeignKeys = true })
			server.Exec(t, fmt.Sprintf("CREATE TABLE %s.parent (id int PRIMARY KEY); INSERT INTO %s.parent VALUES (1), (2), (3); ALTER TABLE %s.t ADD CONSTRAINT fk_t FOREIGN KEY (n) REFERENCES %s.parent (id)", r.schema, r.schema, r.schema, r.schema))
			require.NoError(t, requireEnd(t, r.start(), time.Minute))
			assert.Equal(t, []bool{false}, r.instant)
		})
		t.Run("what a migration refuses", func(t *testing.T) {
			for _, alter := range []string{"RENAME TO u", "ADD COLUMN x int, RENAME u", "CHANGE n m int", "DROP INDEX n, ADD COLUMN x int"} {
				r := newDirectRun(t, server, "(id int, n int UNIQUE NOT NULL)", alter, instantly, inPlace)
				require.Error(t, requireEnd(t, r.start(), time.Minute), alter)
				assert.Equal(t, []string{"t"}, tablesOf(t, r.db, r.schema))
				assert.False(t, r.hasColumn("x") || r.hasColumn("m"))
			}
		})
	})
}

func TestNobodyWaitsBehindAnInstantChangeThatWaitsForATransaction(t *testing.T) {
	for name, held := range map[string]struct {
		retries  int64
		directly bool
	}{
		"which ends":       {60, true},
		"which is outworn": {2, false},
	} {
		t.Run(name, func(t *testing.T) {
			testserver.Both(t, func(t *testing.T, server *testserver.Server) {
				r := &directRun{t: t, server: server, schema: server.Schema(t), hooks: newHookRecorder()}
				load := startLoad(t, server, r.schema, "t", ledger.Options{Rows: 300, Writers: 4, Readers: 2})
				r.db = load.db
				r.prepare("ADD COLUMN extra int NOT NULL DEFAULT 7", instantly, lockTimeout(1), func(c *base.MigrationContext) { c.SetDefaultNumRetries(held.retries) })
				conn, err := load.db.Conn(t.Context())
				require.NoError(t, err)
				defer conn.Close()
				for _, statement := range []string{"BEGIN", "SELECT COUNT(*) FROM t"} {
					_, err = conn.ExecContext(t.Context(), statement)
					require.NoError(t, err)
				}
				time.Sleep(1100 * time.Millisecond) // older than the lock timeout: to be waited for
				before := r.tableID()
				result := r.start()
				if held.directly {
					require.Eventually(t, func() bool { return r.log.contains("the ALTER waits: ") }, time.Minute, 20*time.Millisecond)
				} else {
					require.Eventually(t, func() bool { return r.log.contains("is given up after 2 attempts") }, time.Minute, 20*time.Millisecond)
				}
				assert.False(t, r.hasColumn("extra"))
				_, err = conn.ExecContext(t.Context(), "COMMIT")
				require.NoError(t, err)

				require.NoError(t, requireEnd(t, result, 2*time.Minute))

				load.requireNothingLost(t, "t")
				assert.Equal(t, held.directly, slices.Equal(before, r.tableID()))
				assert.True(t, r.hasColumn("extra"))
				longest := load.WriteWaits(time.Time{}, time.Time{}).Longest
				assert.Less(t, longest.Duration, time.Second+noise, "%v", longest)
			})
		})
	}
}

// A transaction that begins right after the look is met by the ALTER itself.
func TestAnInstantChangeGivesUpWaitingAfterTheLockTimeoutAndTriesAgain(t *testing.T) {
	testserver.Both(t, func(t *testing.T, server *testserver.Server) {
		RetrySleepFn = func(time.Duration) { time.Sleep(10 * time.Millisecond) }
		t.Cleanup(func() { RetrySleepFn = nil })
		r := newDirectRun(t, server, directTable, "ADD COLUMN extra int", instantly, lockTimeout(1))
		conn, err := r.db.Conn(t.Context())
		require.NoError(t, err)
		defer conn.Close()
		times := 0
		r.seam = func(point string) {
			if point != "altering directly" {
				return
			}
			times++
			statement := "COMMIT"
			if times == 1 {
				_, err := conn.ExecContext(t.Context(), "BEGIN")
				require.NoError(t, err)
				statement = "UPDATE t SET n = n + 1"
			}
			_, err := conn.ExecContext(t.Context(), statement)
			require.NoError(t, err)
		}
		result := r.start()
		require.Eventually(t, func() bool { return r.log.contains("attempt 1 to alter the original failed") }, 30*time.Second, 10*time.Millisecond)
		_, err = conn.ExecContext(t.Context(), "COMMIT") // else it would be waited for by now
		require.NoError(t, err)

		require.NoError(t, requireEnd(t, result, time.Minute))

		assert.Equal(t, []bool{true}, r.instant)
		assert.Equal(t, 2, times)
	})
}

func TestAnAbortEndsAnAlterThatWaits(t *testing.T) {
	testserver.Both(t, func(t *testing.T, server *testserver.Server) {
		r := newDirectRun(t, server, directTable, "ADD COLUMN extra int", instantly, lockTimeout(10))
		conn, err := r.db.Conn(t.Context())
		require.NoError(t, err)
		defer conn.Close()
		r.seam = func(point string) {
			if point == "altering directly" {
				_, err := conn.ExecContext(t.Context(), "BEGIN")
				require.NoError(t, err)
				_, err = conn.ExecContext(t.Context(), "UPDATE t SET n = n + 1")
				require.NoError(t, err)
			}
		}
		result := r.start()
		require.Eventually(t, func() bool {
			return slices.ContainsFunc(sessionsOf(t, server), func(s string) bool {
				return strings.Contains(s, "ALGORITHM=INSTANT") && strings.Contains(s, "metadata lock")
			})
		}, 30*time.Second, 10*time.Millisecond)

		aborted := time.Now()
		r.context.CancelContext()

		require.Error(t, requireEnd(t, result, time.Minute))
		assert.Less(t, time.Since(aborted), 5*time.Second)
		_, err = conn.ExecContext(t.Context(), "COMMIT")
		require.NoError(t, err)
		assert.False(t, r.hasColumn("extra"))
		assert.Equal(t, []string{"t"}, tablesOf(t, r.db, r.schema), "the copy had not begun")
	})
}

func TestAThrottledRunDoesNotAlter(t *testing.T) {
	testserver.Both(t, func(t *testing.T, server *testserver.Server) {
		flag := filepath.Join(t.TempDir(), "throttle")
		require.NoError(t, base.TouchFile(flag))
		r := newDirectRun(t, server, directTable, "ADD COLUMN extra int", instantly, func(c *base.MigrationContext) { c.ThrottleFlagFile = flag })
		before := r.tableID()
		result := r.start()
		require.Eventually(t, func() bool { return r.log.contains("the ALTER waits: throttled, flag-file") }, 30*time.Second, 10*time.Millisecond)
		time.Sleep(500 * time.Millisecond)
		assert.False(t, r.hasColumn("extra"))
		require.NoError(t, os.Remove(flag))

		require.NoError(t, requireEnd(t, result, time.Minute))
		assert.Equal(t, before, r.tableID())
		assert.True(t, r.hasColumn("extra"))
	})
}

// Whatever is lost on the way, the run finds out what has become of the ALTER, and no row is lost.
func TestFaultTheAnswerOfADirectAlterIsLost(t *testing.T) {
	for name, lose := range map[string]func(*testproxy.Proxy, testproxy.Match) *testproxy.Rule{
		"request swallowed":                (*testproxy.Proxy).SwallowRequest,
		"answer swallowed":                 (*testproxy.Proxy).SwallowReply,
		"connection cut before it":         (*testproxy.Proxy).CutBefore,
		"connection cut in the middle":     (*testproxy.Proxy).CutDuring,
		"connection cut before its answer": (*testproxy.Proxy).CutAfter,
	} {
		t.Run(name, func(t *testing.T) {
			testserver.Both(t, func(t *testing.T, server *testserver.Server) {
				RetrySleepFn = func(time.Duration) { time.Sleep(10 * time.Millisecond) }
				t.Cleanup(func() { RetrySleepFn = nil })
				proxy := testproxy.Start(t, fmt.Sprintf("%s:%d", server.Host, server.Port))
				r := newDirectRun(t, server, directTable, "ADD COLUMN extra int", instantly, lockTimeout(1), throughProxy(proxy))
				rule := lose(proxy, testproxy.Text("`t` ALGORITHM=INSTANT")).Limit(1)

				require.True(t, r.succeed())

				assert.Equal(t, 1, rule.Hits())
				assert.True(t, r.hasColumn("extra"))
				if strings.Contains(name, "middle") {
					return // the server may have been done with it, or not
				}
				tookEffect := strings.Contains(name, "answer")
				assert.Equal(t, tookEffect, r.log.contains("but the table has its new definition"), "it is not run twice")
			})
		})
	}
}

func TestATableThatSomebodyElseAltersMeanwhileIsForAPersonToLookAt(t *testing.T) {
	testserver.Both(t, func(t *testing.T, server *testserver.Server) {
		proxy := testproxy.Start(t, fmt.Sprintf("%s:%d", server.Host, server.Port))
		r := newDirectRun(t, server, directTable, "ADD COLUMN extra int", instantly, throughProxy(proxy))
		proxy.CutBefore(testproxy.Text("`t` ALGORITHM=INSTANT"))
		r.seam = func(point string) {
			if point == "altering directly" {
				server.Exec(t, "ALTER TABLE "+r.schema+".t ADD COLUMN other int")
			}
		}
		err := requireEnd(t, r.start(), 2*time.Minute)
		require.ErrorIs(t, err, errOtherDefinition)
		require.ErrorContains(t, err, "it is not known whether the ALTER")
	})
}

func TestDefinitionsAreComparedWithoutWhatALikeDoesNotCarry(t *testing.T) {
	testserver.Both(t, func(t *testing.T, server *testserver.Server) {
		schema, db := server.Schema(t), server.DB(t)
		name := func(table string) sql.TableName { return sql.TableName{Schema: schema, Name: table} }
		server.Exec(t, "CREATE TABLE "+schema+".parent (id int PRIMARY KEY)")
		server.Exec(t, "CREATE TABLE "+schema+".t (id int AUTO_INCREMENT PRIMARY KEY, n int, CHECK (n > 0), CONSTRAINT named CHECK (n < 9), KEY (n), FOREIGN KEY (n) REFERENCES "+schema+".parent (id)) COMMENT='x'")
		server.Exec(t, "INSERT INTO "+schema+".parent VALUES (5); INSERT INTO "+schema+".t (n) VALUES (5)")
		server.Exec(t, "CREATE TABLE "+schema+"._t_gho LIKE "+schema+".t")
		read := func(table string) string {
			definition, err := readDefinition(t.Context(), db, name(table))
			require.NoError(t, err)
			return comparableDefinition(definition)
		}
		assert.Equal(t, read("t"), read("_t_gho"))
		server.Exec(t, "ALTER TABLE "+schema+"._t_gho ALTER COLUMN n SET DEFAULT 4")
		assert.NotEqual(t, read("t"), read("_t_gho"))
	})
}

func TestATestOnAReplicaNeverAltersTheReplicaForGood(t *testing.T) {
	c := base.NewMigrationContext()
	c.TestOnReplica = true
	mgtr := NewMigrator(c, "test")
	mgtr.alter = sql.NewParserFromAlterStatement("ADD COLUMN x int")
	reason, err := mgtr.reasonAgainstDirectDDL(t.Context())
	require.NoError(t, err)
	assert.Contains(t, reason, "--test-on-replica")
}
