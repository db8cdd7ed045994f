package logic

import (
	"context"
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
)

func TestFaultAForeignTransactionReadsTheSentry(t *testing.T) {
	testserver.Both(t, func(t *testing.T, server *testserver.Server) {
		r := newFaultRun(t, server, lockTimeout(1))
		r.at(cutover.Locking, func() {
			end := r.openTransaction("SELECT COUNT(*) FROM " + r.names.old.String())
			time.AfterFunc(5*time.Second, end)
		})

		r.succeed()

		assert.Greater(t, len(r.outcomes()), 1)
		r.requireStall(1250 * time.Millisecond)
	})
}

func TestFaultOthersLookAtTheSentryAllTheTime(t *testing.T) {
	testserver.Both(t, func(t *testing.T, server *testserver.Server) {
		r := newFaultRun(t, server)
		ctx, cancel := context.WithCancel(context.Background())
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			for ctx.Err() == nil {
				for _, query := range []string{
					"SHOW CREATE TABLE _t_del",
					"SELECT * FROM information_schema.columns WHERE table_schema = '" + r.schema + "'",
					"SELECT * FROM information_schema.tables WHERE table_schema = '" + r.schema + "'",
					"SELECT * FROM _t_del",
				} {
					_, _ = r.admin.ExecContext(ctx, query) // it may not be there
				}
			}
		}()
		defer func() { cancel(); <-ended }()

		require.NoError(t, requireEnd(t, r.start(), time.Minute))

		cancel()
		<-ended
		r.requireSwapped()
		r.requireStall(time.Second)
	})
}

func TestFaultALongTransactionHoldsTheOriginal(t *testing.T) {
	testserver.Both(t, func(t *testing.T, server *testserver.Server) {
		for what, statement := range map[string]string{"reads": "SELECT COUNT(*) FROM t", "writes": "UPDATE t SET counter = counter WHERE 1 = 0"} {
			t.Run(what, func(t *testing.T) {
				r := newFaultRun(t, server, lockTimeout(1))
				end := r.openTransaction(statement)
				time.Sleep(2 * time.Second)
				result := r.start()
				r.eventually(time.Minute, "it says what it waits for", func() bool { return r.log.contains("cut-over waits: ") })
				time.Sleep(3 * time.Second)
				assert.Empty(t, r.outcomes(), "no attempt is made that cannot succeed")
				end()

				require.NoError(t, requireEnd(t, result, time.Minute))
				r.requireSwapped()
				r.requireStall(1250 * time.Millisecond)
			})
		}
	})
}

func TestFaultTheFirstRowIsLockedWhenTheCopyBegins(t *testing.T) {
	testserver.Both(t, func(t *testing.T, server *testserver.Server) {
		r := newFaultRun(t, server)
		// The copy's sessions wait for 2 s at most; under this load MySQL was seen to end such waits after 2.0 to 3.4 s.
		time.AfterFunc(8*time.Second, r.openTransaction("INSERT INTO t (id, slot) VALUES (-7, -7)"))

		r.succeed()

		assert.True(t, r.log.contains("reading the lowest key to copy"), "the fault has happened")
	})
}

func TestFaultAForeignTableHasTheOldTablesName(t *testing.T) {
	testserver.Both(t, func(t *testing.T, server *testserver.Server) {
		r := newFaultRun(t, server)
		r.at(cutover.Preparing, func() {
			_, err := r.admin.Exec("CREATE TABLE _t_del (precious int)")
			assert.NoError(t, err)
			_, err = r.admin.Exec("INSERT INTO _t_del VALUES (42)")
			assert.NoError(t, err)
		})
		result := r.start()
		r.eventually(time.Minute, "it is refused", func() bool { return r.log.contains("exists and is not ours") })
		var precious int
		require.NoError(t, r.admin.QueryRow("SELECT precious FROM _t_del").Scan(&precious))
		assert.Equal(t, 42, precious)
		_, err := r.admin.Exec("RENAME TABLE _t_del TO precious")
		require.NoError(t, err)

		require.NoError(t, requireEnd(t, result, time.Minute))

		_, err = r.admin.Exec("DROP TABLE precious")
		require.NoError(t, err)
		r.requireSwapped()
		r.requireStall(200 * time.Millisecond)
	})
}

// The ghost is held by a reader when the RENAME would need it: K27, and fault 9.
func TestFaultAReaderHoldsTheGhost(t *testing.T) {
	test := func(t *testing.T, server *testserver.Server) {
		for _, step := range []cutover.Phase{cutover.Renaming, cutover.Dropping} {
			t.Run(step.String(), func(t *testing.T) {
				r := newFaultRun(t, server, lockTimeout(1))
				r.at(step, func() { time.AfterFunc(4*time.Second, r.readGhost()) })

				r.succeed()

				r.requireReached(step)
				assert.Equal(t, "not swapped", r.outcomes()[0])
				r.requireStall(1250 * time.Millisecond)
				reads := r.load.ReadWaits(time.Time{}, time.Time{}).Longest
				if step == cutover.Renaming {
					assert.Less(t, reads.Duration, 700*time.Millisecond, "readers are not held while the sentry stands: %+v", reads)
				}
			})
		}
	}
	t.Run("locks shown where the server does", func(t *testing.T) { testserver.Both(t, test) })
	t.Run("locks not shown", func(t *testing.T) {
		test(t, testserver.Start(t, testserver.Options{Args: []string{"--performance-schema=OFF"}}))
	})
}

func TestFaultAReaderHoldsTheGhostAndTheLockingSessionIsKilled(t *testing.T) {
	testserver.Both(t, func(t *testing.T, server *testserver.Server) {
		r := newFaultRun(t, server)
		var end func()
		r.at(cutover.Dropping, func() { end = r.readGhost() })
		r.at(cutover.Proving, func() {
			r.kill("CONNECTION", r.lockID())
			time.AfterFunc(2*time.Second, end)
		})

		slipped := r.endTruthfully()

		assert.False(t, slipped, "the RENAME is ended before the reader lets it pass")
		assert.Equal(t, "not swapped", r.outcomes()[0])
		r.requireStall(holdSeconds*time.Second + 300*time.Millisecond) // the server held the lock in vain for a RENAME that could not be queued
	})
}

// K28: queued writers would overtake the RENAME.
func TestFaultMaxWriteLockCountIsLow(t *testing.T) {
	testserver.Both(t, func(t *testing.T, server *testserver.Server) {
		var usual uint64
		require.NoError(t, server.DB(t).QueryRow("SELECT @@GLOBAL.max_write_lock_count").Scan(&usual))
		db := server.DB(t)
		reset := func() {
			_, err := db.Exec(fmt.Sprintf("SET GLOBAL max_write_lock_count = %d", usual))
			assert.NoError(t, err)
		}
		defer reset()
		server.Exec(t, "SET GLOBAL max_write_lock_count = 1")
		r := newFaultRun(t, server)
		result := r.start()
		r.eventually(time.Minute, "it says what it waits for", func() bool { return strings.Contains(r.waitsFor(), "max_write_lock_count") })
		time.Sleep(time.Second)
		assert.Empty(t, r.outcomes())

		reset()

		require.NoError(t, requireEnd(t, result, time.Minute))
		r.requireSwapped()
	})
}

// waitsFor is what the log says last of what the cut-over waits for.
func (r *faultRun) waitsFor() (reason string) {
	r.log.mutex.Lock()
	defer r.log.mutex.Unlock()
	for _, line := range r.log.lines {
		if _, text, found := strings.Cut(line, "cut-over waits: "); found {
			reason = text
		}
	}
	return reason
}

func TestFaultAPreparedTransactionHoldsTheOriginal(t *testing.T) {
	testserver.Both(t, func(t *testing.T, server *testserver.Server) {
		flagFile := filepath.Join(t.TempDir(), "postpone")
		r := newFaultRun(t, server, func(c *base.MigrationContext) { c.PostponeCutOverFlagFile = flagFile })
		result := r.start()
		r.eventually(time.Minute, "all is copied and waits for the word", r.Migrator.context.IsPostponing)
		xid := "'" + r.schema + "'"
		conn, err := r.admin.Conn(t.Context())
		require.NoError(t, err)
		for _, query := range []string{"XA START " + xid, "INSERT INTO t (id, slot) VALUES (-7, -7)", "XA END " + xid, "XA PREPARE " + xid} {
			_, err := conn.ExecContext(t.Context(), query)
			require.NoError(t, err, query)
		}
		var id int64
		require.NoError(t, conn.QueryRowContext(t.Context(), "SELECT CONNECTION_ID()").Scan(&id))
		r.kill("CONNECTION", id) // its client vanishes
		_ = conn.Close()
		time.Sleep(2 * time.Second)

		require.NoError(t, os.Remove(flagFile))
		r.eventually(time.Minute, "it says what it waits for", func() bool { return strings.Contains(r.waitsFor(), "XA") })
		time.Sleep(2 * time.Second)
		assert.Empty(t, r.outcomes())
		_, err = r.admin.Exec("XA ROLLBACK " + xid)
		require.NoError(t, err)

		require.NoError(t, requireEnd(t, result, time.Minute))
		r.requireSwapped()
		r.requireStall(time.Second)
	})
}

func TestFaultThePanicFlagFileAppearsInTheCriticalSection(t *testing.T) {
	testserver.Both(t, func(t *testing.T, server *testserver.Server) {
		flagFile := filepath.Join(t.TempDir(), "panic")
		r := newFaultRun(t, server, func(c *base.MigrationContext) { c.PanicFlagFile = flagFile })
		r.at(cutover.Checking, func() {
			assert.NoError(t, os.WriteFile(flagFile, nil, 0o600))
			time.Sleep(time.Second) // until it has been seen
		})

		err := requireEnd(t, r.start(), time.Minute)

		require.ErrorContains(t, err, flagFile)
		assert.Equal(t, []string{"not swapped"}, r.outcomes())
		assert.False(t, r.isSwapped())
		r.requireStall(time.Second + 250*time.Millisecond)
		r.load.requireNothingLost(t, "t")
		r.requireClean()
	})
}
