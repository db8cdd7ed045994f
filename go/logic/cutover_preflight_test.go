package logic

import (
	"context"
	gosql "database/sql"
	"database/sql/driver"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/github/gh-ost/go/internal/testserver"
	"github.com/github/gh-ost/go/mysql"
	"github.com/github/gh-ost/go/sql"
)

// view is how well a server shows who holds a table.
type view uint8

const (
	sees  view = iota // by table
	blind             // transactions and statements only
)

// eachView runs the test against servers that show metadata locks in different ways.
func eachView(t *testing.T, test func(t *testing.T, server *testserver.Server, view view)) {
	t.Run("MySQL", func(t *testing.T) { test(t, testserver.Shared(t, testserver.MySQL), sees) })
	t.Run("MariaDB, which shows no metadata locks", func(t *testing.T) { test(t, testserver.Shared(t, testserver.MariaDB), blind) })
	t.Run("MariaDB with performance_schema", func(t *testing.T) {
		test(t, testserver.Start(t, testserver.Options{Flavor: testserver.MariaDB, Args: []string{
			"--performance-schema=ON", "--performance-schema-instrument=wait/lock/metadata/sql/mdl=ON",
		}}), sees)
	})
	t.Run("MariaDB with metadata_lock_info", func(t *testing.T) {
		server := testserver.Start(t, testserver.Options{Flavor: testserver.MariaDB})
		if _, err := server.DB(t).Exec("INSTALL SONAME 'metadata_lock_info'"); err != nil {
			t.Skipf("this copy of the server is without its plugins: %v", err)
		}
		test(t, server, sees)
	})
}

// watched is a table, its ghost, and a watch on them.
type watched struct {
	*lockWatch
	server *testserver.Server
	schema string
	db     *gosql.DB // of clients
	log    *recordingLogger
}

func watch(t *testing.T, server *testserver.Server, settings lockWatchSettings) *watched {
	schema := server.Schema(t)
	w := &watched{server: server, schema: schema, db: clients(t, server, schema), log: newRecordingLogger(t)}
	for _, table := range []string{"t", "_t_gho", "other"} {
		server.Exec(t, fmt.Sprintf("CREATE TABLE %s.%s (id int PRIMARY KEY, v int NOT NULL)", schema, table))
		server.Exec(t, fmt.Sprintf("INSERT INTO %s.%s VALUES (1, 0), (2, 0), (3, 0)", schema, table))
	}
	config := mysql.NewConnectionConfig()
	config.Key.Hostname, config.Key.Port, config.User, config.Password = server.Host, server.Port, server.User, server.Password
	applier, err := ConnectApplier(t.Context(), config, schema, w.log)
	require.NoError(t, err)
	t.Cleanup(applier.Close)
	applier.engine = "InnoDB"
	require.NoError(t, applier.checkMetadataLocks(t.Context()))
	name := func(table string) sql.TableName { return sql.TableName{Schema: schema, Name: table} }
	if settings.LockTimeout == 0 {
		settings.LockTimeout = time.Second
	}
	w.lockWatch = newLockWatch(applier, cutOverNames{original: name("t"), ghost: name("_t_gho"), old: name("_t_del")}, settings)
	return w
}

// clients is a pool of an account without the special rights that keep sessions from being ended.
func clients(t *testing.T, server *testserver.Server, schema string) *gosql.DB {
	server.Exec(t, "CREATE USER IF NOT EXISTS app IDENTIFIED BY 'app'; GRANT SELECT, INSERT, UPDATE, ALTER, LOCK TABLES, RELOAD, PROCESS ON *.* TO app")
	config := server.AdminConfig(schema)
	config.User, config.Passwd = "app", "app"
	db, err := gosql.Open("mysql", config.FormatDSN())
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, db.Close()) })
	return db
}

// client is a session of somebody else.
type client struct {
	*gosql.Conn
	id int64
}

func (w *watched) client(t *testing.T, statements ...string) *client {
	conn, id, err := mysql.OpenSession(t.Context(), w.db)
	require.NoError(t, err)
	c := &client{conn, id}
	t.Cleanup(c.leave)
	for _, statement := range statements {
		_, err := conn.ExecContext(t.Context(), statement)
		require.NoError(t, err, statement)
	}
	return c
}

// leave closes the connection as a client does that goes away.
func (c *client) leave() {
	_ = c.Raw(func(any) error { return driver.ErrBadConn })
	_ = c.Close()
}

// runs lets the session run a statement, and returns a wait for its end.
func (c *client) runs(t *testing.T, statement string) (wait func() error) {
	result := make(chan error, 1)
	go func() { _, err := c.ExecContext(t.Context(), statement); result <- err }()
	wait = sync.OnceValue(func() error { return <-result })
	t.Cleanup(func() { _ = wait() })
	return wait
}

func (c *client) named() string { return fmt.Sprintf("connection %d (", c.id) }

// requireFree looks until nothing is in the way.
func (w *watched) requireFree(t *testing.T) {
	t.Helper()
	w.requireReason(t, func(reason string) bool { return reason == "" }, "a free table")
}

func (w *watched) requireBlocked(t *testing.T, by string) string {
	t.Helper()
	return w.requireReason(t, func(reason string) bool { return strings.Contains(reason, by) }, by)
}

func (w *watched) requireReason(t *testing.T, wanted func(reason string) bool, what string) (reason string) {
	t.Helper()
	for deadline := time.Now().Add(8 * time.Second); time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
		var err error
		reason, err = w.beforeLock(t.Context())
		require.NoError(t, err)
		if wanted(reason) {
			return reason
		}
	}
	require.FailNow(t, "the watch did not find "+what, "its last reason: %s", reason)
	return ""
}

func TestALockIsNotAskedForWhileItCouldNotBeHad(t *testing.T) {
	eachView(t, func(t *testing.T, server *testserver.Server, view view) {
		t.Run("nobody is there", func(t *testing.T) {
			w := watch(t, server, lockWatchSettings{})
			reason, err := w.beforeLock(t.Context())
			require.NoError(t, err)
			assert.Empty(t, reason)
			assert.Empty(t, w.Blockers())
		})

		t.Run("a reader with an open transaction", func(t *testing.T) {
			w := watch(t, server, lockWatchSettings{})
			reader := w.client(t, "START TRANSACTION", "SELECT v FROM t WHERE id = 2")
			reason := w.requireBlocked(t, reader.named())
			assert.Contains(t, reason, "transaction open for")
			assert.Contains(t, reason, "no rows changed")
			if server.Flavor == testserver.MySQL {
				assert.Contains(t, reason, "SELECT v FROM t WHERE id = 2")
			}
			assert.Equal(t, reader.id, w.Blockers()[0].ConnectionID)
			assert.Equal(t, IdleTransaction, w.Blockers()[0].Kind)
			assert.GreaterOrEqual(t, w.Blockers()[0].Age, 500*time.Millisecond)
			_, err := reader.ExecContext(t.Context(), "COMMIT")
			require.NoError(t, err)
			w.requireFree(t)
			assert.Empty(t, w.Blockers())
		})

		t.Run("an idle writer", func(t *testing.T) {
			w := watch(t, server, lockWatchSettings{})
			writer := w.client(t, "START TRANSACTION", "UPDATE t SET v = v + 1")
			reason := w.requireReason(t, func(reason string) bool {
				return strings.Contains(reason, writer.named()) && strings.Contains(reason, "3 rows changed")
			}, "the writer and what it changed")
			assert.Contains(t, reason, "`t`")
			writer.leave()
			w.requireFree(t)
		})

		t.Run("a statement that has been running for long", func(t *testing.T) {
			w := watch(t, server, lockWatchSettings{})
			reader := w.client(t)
			reader.runs(t, "SELECT SLEEP(1), id FROM t")
			reason := w.requireBlocked(t, reader.named())
			assert.Contains(t, reason, "SELECT SLEEP(1), id FROM t")
			assert.Contains(t, reason, "running for")
			w.requireFree(t)
		})

		t.Run("a transaction elsewhere is nobody's business", func(t *testing.T) {
			w := watch(t, server, lockWatchSettings{})
			w.client(t, "START TRANSACTION", "UPDATE other SET v = 1")
			time.Sleep(1200 * time.Millisecond)
			reason, err := w.beforeLock(t.Context())
			require.NoError(t, err)
			assert.Empty(t, reason)
		})

		t.Run("a table lock", func(t *testing.T) {
			w := watch(t, server, lockWatchSettings{})
			holder := w.client(t, "LOCK TABLES t READ")
			if view == blind {
				w.requireBlocked(t, "the server does not name")
			} else {
				w.requireBlocked(t, holder.named())
				assert.Equal(t, TableLock, w.Blockers()[0].Kind)
			}
			holder.leave()
			w.requireFree(t)
		})

		t.Run("a global read lock", func(t *testing.T) {
			w := watch(t, server, lockWatchSettings{})
			holder := w.client(t, "FLUSH TABLES WITH READ LOCK")
			if view == blind {
				w.requireBlocked(t, "the server does not name")
			} else {
				w.requireBlocked(t, "the whole server by "+holder.named())
			}
			holder.leave()
			w.requireFree(t)
		})

		t.Run("a schema change that waits for somebody else", func(t *testing.T) {
			w := watch(t, server, lockWatchSettings{LockTimeout: 10 * time.Second})
			reader := w.client(t, "START TRANSACTION", "SELECT * FROM t")
			ddl := w.client(t)
			wait := ddl.runs(t, "ALTER TABLE t ADD COLUMN x int, ALGORITHM=INPLACE")
			if view == sees {
				reason := w.requireBlocked(t, ddl.named())
				assert.Contains(t, reason, "schema change or table maintenance")
			} else {
				w.requireBlocked(t, "the server does not name")
			}
			reader.leave()
			require.NoError(t, wait())
			w.requireFree(t)
		})

		t.Run("a reader of the ghost", func(t *testing.T) {
			if view == blind {
				t.Skip("only the last look tries the ghost")
			}
			w := watch(t, server, lockWatchSettings{})
			reader := w.client(t, "START TRANSACTION", "SELECT * FROM _t_gho")
			reason := w.requireBlocked(t, reader.named())
			assert.Contains(t, reason, "`_t_gho`")
		})
	})
}

func TestAPreparedTransactionOfAVanishedClientIsWaitedFor(t *testing.T) {
	testserver.Both(t, func(t *testing.T, server *testserver.Server) {
		w := watch(t, server, lockWatchSettings{})
		id := "'" + w.schema + "','branch',7"
		w.client(t, "XA START "+id, "UPDATE t SET v = 1 WHERE id = 1", "XA END "+id, "XA PREPARE "+id).leave()
		rollback := sync.OnceFunc(func() { server.Exec(t, "XA ROLLBACK "+id) })
		defer rollback()

		reason := w.requireBlocked(t, id)

		assert.Contains(t, reason, "a client that is gone: prepared XA transaction")
		assert.Contains(t, reason, "XA ROLLBACK")
		rollback()
		w.requireFree(t)
	})
}

// MySQL no longer shows the lock of a prepared transaction once its session has gone on to another one and ended that.
func TestAPreparedTransactionThatItsSessionLeftBehindIsWaitedFor(t *testing.T) {
	server := testserver.Shared(t, testserver.MySQL)
	w := watch(t, server, lockWatchSettings{ForceAfter: time.Millisecond})
	id := "'" + w.schema + "'"
	session := w.client(t, "XA START "+id, "UPDATE t SET v = 1 WHERE id = 1", "XA END "+id, "XA PREPARE "+id, "START TRANSACTION", "SELECT * FROM other")
	rollback := sync.OnceFunc(func() { server.Exec(t, "XA ROLLBACK "+id) })
	defer rollback()

	w.requireBlocked(t, id)
	assert.NoError(t, session.PingContext(t.Context()), "to end the session would not help")

	_, err := session.ExecContext(t.Context(), "COMMIT")
	require.NoError(t, err)
	time.Sleep(lookPause)
	w.requireBlocked(t, id)
	rollback()
	w.requireFree(t)
}

func TestAPreparedTransactionIsFoundAgainAfterARestart(t *testing.T) {
	testserver.BothFresh(t, testserver.Options{}, func(t *testing.T, server *testserver.Server) {
		server.Exec(t, "CREATE SCHEMA x; CREATE TABLE x.t (id int PRIMARY KEY); CREATE TABLE x._t_gho (id int PRIMARY KEY)")
		server.Exec(t, "XA START 'x'; INSERT INTO x.t VALUES (1); XA END 'x'; XA PREPARE 'x'")
		server.Restart(t)
		w := watch(t, server, lockWatchSettings{})
		w.names = cutOverNames{original: sql.TableName{Schema: "x", Name: "t"}, ghost: sql.TableName{Schema: "x", Name: "_t_gho"}}

		reason := w.requireBlocked(t, "XA ROLLBACK 'x'")

		assert.Contains(t, reason, "`x`.`t`")
		server.Exec(t, "XA ROLLBACK 'x'")
		w.requireFree(t)
	})
}

func TestALowMaxWriteLockCountIsRefusedWithTheRemedy(t *testing.T) {
	testserver.BothFresh(t, testserver.Options{Args: []string{"--max-write-lock-count=1"}}, func(t *testing.T, server *testserver.Server) {
		w := watch(t, server, lockWatchSettings{})

		reason, err := w.beforeLock(t.Context())

		require.NoError(t, err)
		assert.Contains(t, reason, "max_write_lock_count is 1:")
		_, remedy, found := strings.Cut(reason, "SET GLOBAL")
		require.True(t, found)
		remedy, _, _ = strings.Cut(remedy, " (")
		server.Exec(t, "SET GLOBAL"+remedy)
		w.requireFree(t)
		server.Exec(t, "SET GLOBAL max_write_lock_count = 999999")
		w.requireBlocked(t, "max_write_lock_count is 999999")
	})
}

// That the variable is looked at before each attempt relies on this: it counts at once, for queues that stand already.
func TestAChangedMaxWriteLockCountTakesEffectAtOnce(t *testing.T) {
	testserver.BothFresh(t, testserver.Options{}, func(t *testing.T, server *testserver.Server) {
		w := watch(t, server, lockWatchSettings{})
		queueing := func(c *client, statement string, order chan<- string, name, end string) func() error {
			wait := c.runs(t, statement)
			require.Eventually(t, func() bool {
				process, _, err := mysql.LookUpProcess(t.Context(), w.db, w.applier.server.Dialect, c.id)
				return err == nil && process.AwaitsMetadataLock()
			}, 5*time.Second, 5*time.Millisecond)
			return func() error {
				if err := wait(); err != nil {
					return err
				}
				order <- name
				time.Sleep(20 * time.Millisecond)
				_, err := c.ExecContext(t.Context(), end)
				return err
			}
		}
		round := func(count string) []string {
			holder := w.client(t, "LOCK TABLES t WRITE")
			order := make(chan string, 3)
			waits := []func() error{
				queueing(w.client(t, "START TRANSACTION"), "SELECT * FROM t", order, "reader", "COMMIT"),
				queueing(w.client(t), "LOCK TABLES t WRITE", order, "writer", "UNLOCK TABLES"),
				queueing(w.client(t), "LOCK TABLES t WRITE", order, "writer", "UNLOCK TABLES"),
			}
			server.Exec(t, "SET GLOBAL max_write_lock_count = "+count)
			var all sync.WaitGroup
			for _, wait := range waits {
				all.Add(1)
				go func() { defer all.Done(); assert.NoError(t, wait()) }()
			}
			holder.leave()
			all.Wait()
			return []string{<-order, <-order, <-order}
		}

		assert.Equal(t, []string{"writer", "writer", "reader"}, round("4294967295"))
		assert.Equal(t, []string{"writer", "reader", "writer"}, round("1"))
		assert.Equal(t, []string{"writer", "writer", "reader"}, round("4294967295"))
	})
}

func TestSessionsAreEndedInOrderOnceTheTimeIsUp(t *testing.T) {
	eachView(t, func(t *testing.T, server *testserver.Server, view view) {
		// gone tells by name whether a session, or the statement that it runs, is no more.
		crowd := func(t *testing.T, w *watched) (who map[string]*client, gone func(name string) bool) {
			who = map[string]*client{
				"idle reader":  w.client(t, "START TRANSACTION", "SELECT * FROM t"),
				"small writer": w.client(t, "START TRANSACTION", "UPDATE t SET v = v + 1 WHERE id = 1"),
				"long reader":  w.client(t),
				"table lock":   w.client(t, "LOCK TABLES _t_gho READ"),
			}
			who["long reader"].runs(t, "SELECT SLEEP(8) FROM t LIMIT 1")
			return who, func(name string) bool {
				process, found, err := mysql.LookUpProcess(t.Context(), w.db, w.applier.server.Dialect, who[name].id)
				require.NoError(t, err)
				return !found || name == "long reader" && process.Command == "Sleep"
			}
		}
		lookFor := func(t *testing.T, w *watched, d time.Duration, done func() bool) {
			for began := time.Now(); time.Since(began) < d && !done(); time.Sleep(20 * time.Millisecond) {
				_, err := w.beforeLock(t.Context())
				require.NoError(t, err)
			}
		}
		never := func() bool { return false }

		t.Run("never without leave", func(t *testing.T) {
			w := watch(t, server, lockWatchSettings{})
			who, gone := crowd(t, w)
			lookFor(t, w, 2500*time.Millisecond, never)
			for name := range who {
				assert.False(t, gone(name), name)
			}
			assert.False(t, w.log.contains("ending this"))
		})

		t.Run("with leave", func(t *testing.T) {
			w := watch(t, server, lockWatchSettings{ForceAfter: 1200 * time.Millisecond})
			who, gone := crowd(t, w)
			began := time.Now()
			if view == blind {
				lookFor(t, w, 3*time.Second, never)
				assert.False(t, gone("idle reader"), "nobody is ended on suspicion")
				assert.True(t, w.log.contains("has no effect"))
				return
			}
			order := []string{"idle reader", "long reader", "small writer"}
			for i, name := range order {
				lookFor(t, w, 5*time.Second, func() bool { return gone(name) })
				require.True(t, gone(name), name)
				for _, later := range order[i+1:] {
					require.False(t, gone(later), "%s is ended before %s", name, later)
				}
				require.True(t, w.log.contains(fmt.Sprintf("`%s`.`t` by connection %d", w.schema, who[name].id)), "the log says whom and why")
				if i == 0 {
					require.GreaterOrEqual(t, time.Since(began), 1200*time.Millisecond)
				}
			}
			lookFor(t, w, 1500*time.Millisecond, never)
			assert.Contains(t, w.requireBlocked(t, who["table lock"].named()), "`_t_gho`")
			assert.False(t, gone("table lock"), "LOCK TABLES is never ended")
			var v int
			require.NoError(t, w.db.QueryRow("SELECT v FROM t WHERE id = 1").Scan(&v))
			assert.Zero(t, v, "the writer was rolled back")
		})
	})
}

// atTheBrink brings an attempt to where it is about to drop the sentry.
func (w *watched) atTheBrink(t *testing.T) *cutOverAttempt {
	attempt, err := w.applier.openAttempt(t.Context(), w.names, "token", 3*time.Second)
	require.NoError(t, err)
	exec := func(statement string) {
		_, err := attempt.lock.Exec(t.Context(), 5*time.Second, statement)
		require.NoError(t, err)
	}
	exec(fmt.Sprintf("CREATE TABLE %s (id int)", w.names.old))
	exec(fmt.Sprintf("LOCK TABLES %s READ, %s WRITE", w.names.original, w.names.old))
	renamed := make(chan struct{})
	go func() {
		defer close(renamed)
		_, _ = attempt.rename.Exec(t.Context(), 20*time.Second, fmt.Sprintf("RENAME TABLE %s TO %s, %s TO %s", w.names.original, w.names.old, w.names.ghost, w.names.original))
	}()
	t.Cleanup(func() {
		ctx := context.WithoutCancel(t.Context())
		assert.NoError(t, mysql.KillConnection(ctx, w.applier.general, attempt.rename.ID()))
		<-renamed
		attempt.close()
	})
	require.Eventually(t, func() bool {
		waits, err := attempt.control.waitsForTable(t.Context(), attempt.rename.ID())
		return err == nil && waits
	}, 5*time.Second, 5*time.Millisecond)
	return attempt
}

func TestTheLastLookFindsWhoWouldKeepTheRenameWaiting(t *testing.T) {
	eachView(t, func(t *testing.T, server *testserver.Server, view view) {
		requireSeen := func(t *testing.T, w *watched, attempt *cutOverAttempt, text string) {
			t.Helper()
			began := time.Now()
			err := w.beforeDrop(t.Context(), attempt)
			assert.Less(t, time.Since(began), 500*time.Millisecond)
			var blocked *BlockedError
			require.ErrorAs(t, err, &blocked)
			assert.ErrorContains(t, err, text)
		}

		t.Run("nobody", func(t *testing.T) {
			w := watch(t, server, lockWatchSettings{})
			w.requireFree(t)
			attempt := w.atTheBrink(t)
			began := time.Now()
			require.NoError(t, w.beforeDrop(t.Context(), attempt))
			t.Logf("the last look took %s", time.Since(began))
		})

		t.Run("a reader of the ghost", func(t *testing.T) {
			w := watch(t, server, lockWatchSettings{})
			w.requireFree(t)
			reader := w.client(t, "START TRANSACTION", "SELECT * FROM _t_gho")
			attempt := w.atTheBrink(t)
			time.Sleep(2 * swapTolerance)
			if view == sees {
				requireSeen(t, w, attempt, "`_t_gho` by "+reader.named())
			} else {
				requireSeen(t, w, attempt, "`_t_gho` is held")
			}
			reader.leave()
			require.Eventually(t, func() bool { return w.beforeDrop(t.Context(), attempt) == nil }, 3*time.Second, 2*time.Millisecond)
		})

		t.Run("a long reader of the original", func(t *testing.T) {
			w := watch(t, server, lockWatchSettings{})
			w.requireFree(t)
			reader := w.client(t)
			reader.runs(t, "SELECT SLEEP(2) FROM t LIMIT 1")
			attempt := w.atTheBrink(t)
			time.Sleep(2 * swapTolerance)
			requireSeen(t, w, attempt, "`t` by "+reader.named())
		})

		t.Run("writers that the attempt holds do not count", func(t *testing.T) {
			w := watch(t, server, lockWatchSettings{})
			w.requireFree(t)
			attempt := w.atTheBrink(t)
			writer := w.client(t, "SET lock_wait_timeout = 2")
			writer.runs(t, "UPDATE t SET v = 7")
			time.Sleep(2 * swapTolerance)
			assert.NoError(t, w.beforeDrop(t.Context(), attempt))
		})
	})
}

func TestTheLastLookPassesByBusyReaders(t *testing.T) {
	eachView(t, func(t *testing.T, server *testserver.Server, _ view) {
		w := watch(t, server, lockWatchSettings{})
		w.requireFree(t)
		attempt := w.atTheBrink(t)
		ctx, stop := context.WithCancel(t.Context())
		var readers sync.WaitGroup
		var slow atomic.Int64
		for range 4 {
			conn, err := w.db.Conn(t.Context())
			require.NoError(t, err)
			readers.Add(1)
			go func() {
				defer readers.Done()
				defer conn.Close()
				for ctx.Err() == nil {
					began := time.Now()
					for _, query := range []string{"SELECT v FROM t WHERE id = 1", "START TRANSACTION", "SELECT * FROM t", "SELECT COUNT(*) FROM _t_gho", "COMMIT"} {
						_, _ = conn.ExecContext(ctx, query)
					}
					if time.Since(began) > swapTolerance/2 {
						slow.Add(1)
					}
				}
			}()
		}
		const looks = 200
		var passed int
		var lastErr error
		var worst, total time.Duration
		for range looks {
			began := time.Now()
			err := w.beforeDrop(t.Context(), attempt)
			if err == nil {
				passed++
			} else {
				lastErr = err
			}
			took := time.Since(began)
			worst, total = max(worst, took), total+took
		}
		stop()
		readers.Wait()
		t.Logf("%d of %d looks passed, %s each, %s at worst", passed, looks, total/looks, worst)
		wanted := looks * 95 / 100
		if slow.Load() > 0 {
			wanted = looks / 2 // the machine is so busy that readers do hold their locks for long
		}
		assert.GreaterOrEqual(t, passed, wanted, "%v", lastErr)
	})
}

func TestTryingATableChangesNothing(t *testing.T) {
	testserver.Both(t, func(t *testing.T, server *testserver.Server) {
		w := watch(t, server, lockWatchSettings{})
		dialect := w.applier.server.Dialect
		position := func() string {
			rows, err := w.applier.general.Query(dialect.ShowBinaryLogStatus())
			require.NoError(t, err)
			defer rows.Close()
			require.True(t, rows.Next())
			columns, err := rows.Columns()
			require.NoError(t, err)
			values, targets := make([]gosql.NullString, len(columns)), make([]any, len(columns))
			for i := range values {
				targets[i] = &values[i]
			}
			require.NoError(t, rows.Scan(targets...))
			return values[0].String + ":" + values[1].String
		}
		before := position()

		free, err := isFree(t.Context(), w.applier.sessions, dialect, w.names.original, 50*time.Millisecond)
		require.NoError(t, err)
		assert.True(t, free)

		w.client(t, "START TRANSACTION", "SELECT * FROM t")
		began := time.Now()
		free, err = isFree(t.Context(), w.applier.sessions, dialect, w.names.original, 50*time.Millisecond)
		require.NoError(t, err)
		assert.False(t, free)
		assert.Less(t, time.Since(began), 500*time.Millisecond)

		assert.Equal(t, before, position(), "nothing is written to the binary log")
		assert.Equal(t, []string{"_t_gho", "other", "t"}, tablesOf(t, w.db, w.schema))
	})
}

func TestWithoutMetadataLocksMySQLIsTriedAsWell(t *testing.T) {
	server := testserver.Start(t, testserver.Options{Args: []string{"--performance-schema=OFF"}})
	w := watch(t, server, lockWatchSettings{})
	w.requireFree(t)
	reader := w.client(t, "START TRANSACTION", "SELECT * FROM t")
	reason := w.requireBlocked(t, reader.named())
	assert.Contains(t, reason, "does not name")
	assert.True(t, w.log.contains("does not show who holds a table"))
	reader.leave()
	w.requireFree(t)

	ghostReader := w.client(t, "START TRANSACTION", "SELECT * FROM _t_gho")
	attempt := w.atTheBrink(t)
	assert.ErrorContains(t, w.beforeDrop(t.Context(), attempt), "`_t_gho` is held")
	ghostReader.leave()
	require.Eventually(t, func() bool { return w.beforeDrop(t.Context(), attempt) == nil }, 3*time.Second, 2*time.Millisecond)
}

func TestAnAccountThatMayNotReadAllIsServedByTrying(t *testing.T) {
	server := testserver.Shared(t, testserver.MySQL)
	w := watch(t, server, lockWatchSettings{})
	server.Exec(t, "CREATE USER narrow IDENTIFIED BY 'narrow'; GRANT ALTER, DROP, CREATE, INSERT, SELECT ON "+w.schema+".* TO narrow;"+
		" GRANT SELECT ON performance_schema.metadata_locks TO narrow; GRANT SELECT ON performance_schema.threads TO narrow;"+
		" GRANT SELECT ON performance_schema.setup_instruments TO narrow")
	defer server.Exec(t, "DROP USER narrow")
	config := w.applier.config.Duplicate()
	config.User, config.Password = "narrow", "narrow"
	applier, err := ConnectApplier(t.Context(), config, w.schema, w.log)
	require.NoError(t, err)
	defer applier.Close()
	require.NoError(t, applier.checkMetadataLocks(t.Context()))
	require.True(t, applier.metadataLocksReadable)
	w.lockWatch = newLockWatch(applier, w.names, w.settings)

	w.requireFree(t)
	assert.True(t, w.log.contains("does not show who holds a table"))
	assert.True(t, w.log.contains("PROCESS is needed"))
	reader := w.client(t, "START TRANSACTION", "SELECT * FROM t")
	w.requireBlocked(t, "held by a session that the server does not name")
	reader.leave()
	w.requireFree(t)
}

func TestTheAgeOfATransactionDoesNotDependOnTimeZones(t *testing.T) {
	testserver.Both(t, func(t *testing.T, server *testserver.Server) {
		w := watch(t, server, lockWatchSettings{})
		writer := w.client(t, "START TRANSACTION", "UPDATE t SET v = 1")
		asks := w.client(t, "SET time_zone = '+09:00'")
		time.Sleep(150 * time.Millisecond)
		transactions, err := engineTransactions(t.Context(), asks)
		require.NoError(t, err)
		var found bool
		for _, transaction := range transactions {
			if transaction.connectionID == writer.id {
				found = true
				assert.Less(t, transaction.age, 10*time.Second)
				assert.Equal(t, int64(3), transaction.rowsModified)
			}
		}
		assert.True(t, found)
	})
}
