package mysql

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/github/gh-ost/go/internal/testserver"
)

const ample = 10 * time.Second

func newSession(t *testing.T, config *ConnectionConfig) *Session {
	t.Helper()
	db, err := config.Open("")
	require.NoError(t, err)
	session, err := NewSession(t.Context(), db)
	require.NoError(t, err)
	t.Cleanup(func() {
		assert.NoError(t, session.Close())
		assert.NoError(t, db.Close())
	})
	return session
}

func TestCancellationDoesNotEndASession(t *testing.T) {
	testserver.Both(t, func(t *testing.T, server *testserver.Server) {
		session := newSession(t, configOf(server))
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		_, err := session.Exec(ctx, ample, "SET @kept = 1")
		require.NoError(t, err)
		var kept, id int64
		require.NoError(t, session.QueryRow(ctx, ample, []any{&kept, &id}, "SELECT @kept, CONNECTION_ID()"))
		assert.EqualValues(t, 1, kept)
		assert.Equal(t, session.ID(), id)
	})
}

func TestSessionWhoseLimitPassesIsLostAndCanBeEndedForGood(t *testing.T) {
	testserver.Both(t, func(t *testing.T, server *testserver.Server) {
		admin, identity := open(t, configOf(server))
		session := newSession(t, configOf(server))
		began := time.Now()
		_, err := session.Exec(t.Context(), 200*time.Millisecond, "DO SLEEP(60)")
		require.ErrorAs(t, err, new(*LimitError))
		assert.ErrorIs(t, err, context.DeadlineExceeded)
		assert.True(t, IsConnectionLost(err))
		assert.Less(t, time.Since(began), ample)
		_, err = session.Exec(t.Context(), ample, "DO 0")
		assert.Error(t, err, "the connection is gone")

		ctx, cancel := context.WithTimeout(t.Context(), ample)
		defer cancel()
		require.NoError(t, EndSession(ctx, admin, identity.Dialect, session.ID()))
		_, alive, err := LookUpProcess(ctx, admin, identity.Dialect, session.ID())
		require.NoError(t, err)
		assert.False(t, alive)
		require.NoError(t, EndSession(ctx, admin, identity.Dialect, session.ID()), "gone already")
		assert.True(t, IsNoSuchThread(KillQuery(ctx, admin, session.ID())))
	})
}

func TestClosingASessionReleasesWhatItHolds(t *testing.T) {
	testserver.Both(t, func(t *testing.T, server *testserver.Server) {
		schema := server.Schema(t)
		server.Exec(t, "CREATE TABLE "+schema+".t (id INT PRIMARY KEY)")
		session := newSession(t, configOf(server))
		_, err := session.Exec(t.Context(), ample, "LOCK TABLES "+schema+".t WRITE")
		require.NoError(t, err)
		require.NoError(t, session.Close())
		require.NoError(t, session.Close(), "closing twice is harmless")
		server.Exec(t, "INSERT INTO "+schema+".t VALUES (1)")
		_, err = session.Exec(t.Context(), ample, "DO 0")
		assert.True(t, IsConnectionLost(err))
	})
}

func TestStatementBeyondItsBoundIsKilledAndTheSessionKeepsItsLocks(t *testing.T) {
	testserver.Both(t, func(t *testing.T, server *testserver.Server) {
		schema := server.Schema(t)
		server.Exec(t, "CREATE TABLE "+schema+".t (id INT PRIMARY KEY)")
		admin, identity := open(t, configOf(server))
		holder, waiter := newSession(t, configOf(server)), newSession(t, configOf(server))
		_, err := holder.Exec(t.Context(), ample, "LOCK TABLES "+schema+".t WRITE")
		require.NoError(t, err)
		var got int
		require.NoError(t, waiter.QueryRow(t.Context(), ample, []any{&got}, "SELECT GET_LOCK('"+schema+"', 0)"))

		ended := make(chan error, 1)
		go func() {
			_, err := waiter.ExecBounded(t.Context(), admin, 2*time.Second, ample, "RENAME TABLE "+schema+".t TO "+schema+".u")
			ended <- err
		}()
		require.Eventually(t, func() bool {
			process, found, err := LookUpProcess(t.Context(), admin, identity.Dialect, waiter.ID())
			return assert.NoError(t, err) && found && process.AwaitsMetadataLock() && process.Info != ""
		}, 1900*time.Millisecond, 10*time.Millisecond)
		assert.True(t, IsInterrupted(<-ended))

		var owner int64
		require.NoError(t, admin.QueryRowContext(t.Context(), "SELECT IS_USED_LOCK('"+schema+"')").Scan(&owner))
		assert.Equal(t, waiter.ID(), owner, "the session lives on")
		process, found, err := LookUpProcess(t.Context(), admin, identity.Dialect, waiter.ID())
		require.NoError(t, err)
		assert.True(t, found)
		assert.Empty(t, process.Info)
		assert.Equal(t, server.AdminUser, process.User)
	})
}

func TestLateKillNeverHitsTheNextStatement(t *testing.T) {
	testserver.Both(t, func(t *testing.T, server *testserver.Server) {
		admin, _ := open(t, configOf(server))
		session := newSession(t, configOf(server))
		var late, interrupted int
		for range 60 {
			_, err := session.ExecBounded(t.Context(), admin, 10*time.Millisecond, ample, "SELECT 1 FROM (SELECT SLEEP(0.0101)) AS pause")
			switch {
			case err == nil:
				late++
			case IsInterrupted(err):
				interrupted++
			default:
				require.NoError(t, err)
			}
			var one int
			require.NoError(t, session.QueryRow(t.Context(), ample, []any{&one}, "SELECT 1 FROM (SELECT SLEEP(0.001)) AS pause"))
		}
		t.Logf("ended by themselves: %d, killed: %d", late, interrupted)
	})
}

func TestConnectionIDIsVerifiedWithTheServer(t *testing.T) {
	testserver.Both(t, func(t *testing.T, server *testserver.Server) {
		admin, _ := open(t, configOf(server))
		session := newSession(t, configOf(server))
		require.NoError(t, session.VerifyID(t.Context(), admin))

		// As behind a proxy that counts by itself.
		lied := &Session{conn: session.conn, id: session.id + 100000}
		var wrong *ConnectionIDError
		require.ErrorAs(t, lied.VerifyID(t.Context(), admin), &wrong)
		assert.Equal(t, session.ID(), wrong.Actual)

		// As behind a proxy that spreads connections over servers.
		elsewhere, _ := open(t, configOf(server.Replica))
		require.ErrorAs(t, session.VerifyID(t.Context(), elsewhere), &wrong)
		assert.Zero(t, wrong.Actual)

		var free int
		require.NoError(t, session.QueryRow(t.Context(), ample, []any{&free}, "SELECT 1"))
	})
}

func TestErrorsOfRealServersAreClassed(t *testing.T) {
	testserver.Both(t, func(t *testing.T, server *testserver.Server) {
		schema := server.Schema(t)
		server.Exec(t, "CREATE TABLE "+schema+".t (id TINYINT NOT NULL PRIMARY KEY, s VARCHAR(3), d DATE, n INT CHECK (n > 0)) "+
			"PARTITION BY RANGE (id) (PARTITION p VALUES LESS THAN (100)); INSERT INTO "+schema+".t VALUES (1, 'a', NULL, 1)")
		db, _ := open(t, configOf(server), "SET SESSION sql_mode = 'STRICT_ALL_TABLES'")
		table := schema + ".t"
		for statement, is := range map[string]func(error) bool{
			"INSERT INTO " + table + " (id) VALUES (NULL)":             IsDataError,
			"INSERT INTO " + table + " (id) VALUES (1)":                IsDuplicateEntry,
			"INSERT INTO " + table + " (id) VALUES (300)":              IsDataError,
			"INSERT INTO " + table + " (id) VALUES (101)":              IsDataError,
			"INSERT INTO " + table + " (id) VALUES ('x')":              IsDataError,
			"INSERT INTO " + table + " (id, s) VALUES (2, 'abcd')":     IsDataError,
			"INSERT INTO " + table + " (id, d) VALUES (2, '2020-13-')": IsDataError,
			"INSERT INTO " + table + " (id, n) VALUES (2, 0)":          IsDataError,
			"INSERT INTO " + table + " (s) VALUES ('x')":               IsDataError,
			"CREATE TABLE " + table + " (id INT)":                      IsTableExists,
			"INSERT INTO " + table + "2 VALUES (1)":                    IsNoSuchTable,
			"INSERT INTO " + table + " (nosuch) VALUES (1)":            IsPermanent,
			"NOT SQL":                             IsPermanent,
			"KILL 4000000000":                     IsNoSuchThread,
			"INSERT INTO mysql.nosuch VALUES (1)": IsPermanent,
		} {
			_, err := db.ExecContext(t.Context(), statement)
			assert.True(t, is(err), "%s: %v", statement, err)
			assert.False(t, IsRetryable(err), "%s: %v", statement, err)
		}
	})
}

func TestLockWaitTimeoutAndDeadConnectionsAreRetryable(t *testing.T) {
	testserver.Both(t, func(t *testing.T, server *testserver.Server) {
		schema := server.Schema(t)
		server.Exec(t, "CREATE TABLE "+schema+".t (id INT PRIMARY KEY)")
		admin, identity := open(t, configOf(server))
		holder, waiter := newSession(t, configOf(server)), newSession(t, configOf(server))
		_, err := holder.Exec(t.Context(), ample, "LOCK TABLES "+schema+".t WRITE")
		require.NoError(t, err)
		_, err = waiter.Exec(t.Context(), ample, "SET SESSION lock_wait_timeout = 1")
		require.NoError(t, err)
		_, err = waiter.Exec(t.Context(), ample, "LOCK TABLES "+schema+".t WRITE")
		assert.True(t, IsLockWaitTimeout(err) && IsRetryable(err), err)

		require.NoError(t, EndSession(t.Context(), admin, identity.Dialect, holder.ID()))
		_, err = holder.Exec(t.Context(), ample, "DO 0")
		assert.True(t, IsConnectionLost(err) && IsRetryable(err), err)

		closed := configOf(server)
		closed.Key.Port = 1
		db, err := closed.Open("")
		require.NoError(t, err)
		assert.True(t, IsConnectionLost(db.PingContext(t.Context())))
		require.NoError(t, db.Close())

		stranger := configOf(server)
		stranger.Password = "wrong"
		db, err = stranger.Open("")
		require.NoError(t, err)
		assert.True(t, IsAccessDenied(db.PingContext(t.Context())))
		require.NoError(t, db.Close())
	})
}
