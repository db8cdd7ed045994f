package binlog

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/github/gh-ost/go/internal/testserver"
	"github.com/github/gh-ost/go/mysql"
)

// killDump kills the sessions that send the log, as an operator would.
func killDump(t testing.TB, server *testserver.Server) int {
	t.Helper()
	db := server.DB(t)
	rows, err := db.QueryContext(t.Context(), "SELECT id FROM information_schema.processlist WHERE command LIKE 'Binlog Dump%'")
	require.NoError(t, err)
	defer rows.Close()
	killed := 0
	for rows.Next() {
		var id int64
		require.NoError(t, rows.Scan(&id))
		if _, err := db.ExecContext(t.Context(), fmt.Sprintf("KILL %d", id)); err == nil {
			killed++
		}
	}
	require.NoError(t, rows.Err())
	return killed
}

func TestKilledConnectionLosesAndRepeatsNothing(t *testing.T) {
	bothKinds(t, func(t *testing.T, server *testserver.Server, kind func(*Settings)) {
		schema := server.Schema(t)
		server.Exec(t, "CREATE TABLE "+schema+".t (id int PRIMARY KEY, c varchar(100))")
		var lost sync.Map
		settings := settingsFor(server, schema)
		kind(&settings)
		settings.OnReconnect = func(err error, at mysql.BinlogCoordinates) { lost.Store(at.String(), err) }
		f := followFrom(t, settings, position(t, server, settings.UseGTID))

		const count = 600
		for id := 1; id <= count; id += 3 {
			server.Exec(t, fmt.Sprintf("BEGIN; INSERT INTO %[1]s.t VALUES (%[2]d, ''); INSERT INTO %[1]s.t VALUES (%[3]d, ''); COMMIT; "+
				"INSERT INTO %[1]s.t VALUES (%[4]d, '')", schema, id, id+1, id+2))
			if id%150 == 1 {
				killDump(t, server)
			}
		}

		f.rows("t", count)
		for i, row := range flat(f.rows("t", count)) {
			require.Equal(t, int32(i+1), row.After[0])
		}
		reconnects := 0
		lost.Range(func(any, any) bool { reconnects++; return true })
		assert.Positive(t, reconnects)
	})
}

func TestLargeTransactionIsTakenUpInItsMiddle(t *testing.T) {
	bothKinds(t, func(t *testing.T, server *testserver.Server, kind func(*Settings)) {
		schema := server.Schema(t)
		server.Exec(t, "USE "+schema+"; CREATE TABLE t (id int PRIMARY KEY AUTO_INCREMENT, c longblob)")
		settings := settingsFor(server, schema)
		kind(&settings)
		settings.ReadAheadBytes = 1 << 20
		// The connection is killed while the handler is in the middle of the transaction, with much unread.
		var kill sync.Once
		f := followFrom(t, settings, position(t, server, settings.UseGTID), func(_ context.Context, event *Event) error {
			if event.Kind == Insert && event.Rows[0].After[0] == int32(20) {
				kill.Do(func() { assert.Positive(t, killDump(t, server)) })
			}
			return nil
		})

		query := "USE " + schema + "; BEGIN; "
		const count = 60
		for range count {
			query += "INSERT INTO t (c) VALUES (repeat(char(floor(rand()*26)+97), 1000000)); "
		}
		server.Exec(t, query+"COMMIT; INSERT INTO t (c) VALUES ('last')")

		for i, row := range flat(f.rows("t", count+1)) {
			require.Equal(t, int32(i+1), row.After[0])
		}
	})
}

func TestServerRestartIsSurvived(t *testing.T) {
	testserver.BothFresh(t, testserver.Options{Durable: true}, func(t *testing.T, server *testserver.Server) {
		schema := server.Schema(t)
		server.Exec(t, "CREATE TABLE "+schema+".t (id int PRIMARY KEY)")
		byFile := follow(t, server, schema)
		byGTIDs := follow(t, server, schema, byGTID)
		server.Exec(t, "XA START 'x'; INSERT INTO "+schema+".t VALUES (9); XA END 'x'; XA PREPARE 'x'")

		server.Exec(t, "INSERT INTO "+schema+".t VALUES (1)")
		server.Restart(t)
		server.Exec(t, "INSERT INTO "+schema+".t VALUES (2)")
		server.Kill(t)
		server.Restart(t)
		server.Exec(t, "INSERT INTO "+schema+".t VALUES (3)")
		server.Exec(t, "XA COMMIT 'x'")

		for _, f := range []*follower{byFile, byGTIDs} {
			f.rows("t", 4)
			assert.Equal(t, []string{"insert [] [1]", "insert [] [2]", "insert [] [3]", "insert [] [9]"}, f.changesOf("t"))
		}
	})
}

func TestFrozenServerIsNoticed(t *testing.T) {
	server := testserver.Start(t, testserver.Options{})
	schema := server.Schema(t)
	server.Exec(t, "CREATE TABLE "+schema+".t (id int PRIMARY KEY)")
	lost := make(chan error, 10)
	const silence = 2 * time.Second
	f := follow(t, server, schema, func(s *Settings) {
		s.heartbeat, s.silence = silence/4, silence
		s.OnReconnect = func(err error, _ mysql.BinlogCoordinates) { lost <- err }
	})
	// Idle for longer than the time-out: heartbeats keep the connection.
	select {
	case err := <-lost:
		t.Fatalf("lost while idle: %v", err)
	case <-time.After(2 * silence):
	}

	server.Signal(t, syscall.SIGSTOP)
	frozen := time.Now()
	err := <-lost
	server.Signal(t, syscall.SIGCONT)

	assert.ErrorContains(t, err, "silent")
	assert.Less(t, time.Since(frozen), silence+time.Second)
	server.Exec(t, "INSERT INTO "+schema+".t VALUES (1)")
	f.rows("t", 1)
}

func TestPurgedLogEndsTheStreamAtOnce(t *testing.T) {
	bothKinds(t, func(t *testing.T, server *testserver.Server, kind func(*Settings)) {
		schema := server.Schema(t)
		settings := settingsFor(server, schema)
		kind(&settings)
		from := position(t, server, settings.UseGTID)
		server.Exec(t, "CREATE TABLE "+schema+".t (id int PRIMARY KEY); FLUSH BINARY LOGS; INSERT INTO "+schema+".t VALUES (1); FLUSH BINARY LOGS")
		last := position(t, server, false).(*mysql.FileBinlogCoordinates)
		server.Exec(t, "PURGE BINARY LOGS TO '"+last.LogFile+"'")

		err := NewStream(settings, nil).Run(t.Context(), from, func() { t.Error("not connected") }, nil)

		var purged *PurgedError
		require.ErrorAs(t, err, &purged)
		assert.True(t, purged.At.Equals(from))
	})
}

func TestWrongPasswordEndsTheStreamAtOnce(t *testing.T) {
	testserver.Both(t, func(t *testing.T, server *testserver.Server) {
		settings := settingsFor(server, "x")
		settings.Connection.Password = "wrong"
		err := NewStream(settings, nil).Run(t.Context(), position(t, server, false), nil, nil)
		assert.ErrorContains(t, err, "Access denied")

		server.Exec(t, "CREATE USER reader IDENTIFIED BY 'reader'")
		defer server.Exec(t, "DROP USER reader")
		settings.Connection.User, settings.Connection.Password = "reader", "reader"
		err = NewStream(settings, nil).Run(t.Context(), position(t, server, false), nil, nil)
		assert.ErrorContains(t, err, "REPLICATION SLAVE")
	})
}

func TestServerIDOfAnotherReplicaIsNamed(t *testing.T) {
	server := testserver.Shared(t, testserver.MariaDB)
	schema := server.Schema(t)
	settings := settingsFor(server, schema)
	from := position(t, server, false)

	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	ended := make(chan error, 2)
	for range 2 {
		go func() {
			ended <- NewStream(settings, nil).Run(ctx, from, nil, func(context.Context, *Event) error { return nil })
		}()
	}

	var inUse *ServerIDInUseError
	require.ErrorAs(t, <-ended, &inUse)
	assert.Equal(t, settings.ServerID, inUse.ServerID)
	cancel()
	if err := <-ended; err != nil {
		assert.ErrorAs(t, err, &inUse)
	}
}

func TestUnreachableServerIsGivenUp(t *testing.T) {
	connection := mysql.NewConnectionConfig()
	connection.Key = mysql.InstanceKey{Hostname: "127.0.0.1", Port: 1} // nobody listens
	settings := Settings{
		Connection: connection, ServerID: 1, Flavor: mysql.MySQLFlavor, MaxReconnectAttempts: 2,
		Follow: func(string, string) bool { return true },
	}
	var attempts int
	settings.OnReconnect = func(error, mysql.BinlogCoordinates) { attempts++ }
	from := mysql.NewFileBinlogCoordinates("log.1", 4)

	err := NewStream(settings, nil).Run(t.Context(), from, nil, nil)
	var stalled *StalledError
	require.ErrorAs(t, err, &stalled)
	assert.ErrorIs(t, err, syscall.ECONNREFUSED)
	assert.Equal(t, 2, attempts)

	// The end of the context interrupts a pause, too.
	settings.MaxReconnectAttempts = 1000
	ctx, cancel := context.WithCancel(t.Context())
	settings.OnReconnect = func(error, mysql.BinlogCoordinates) { cancel() }
	assert.NoError(t, NewStream(settings, nil).Run(ctx, from, nil, nil))
}

func TestPausesGrowAndAreBounded(t *testing.T) {
	assert.Equal(t, firstPause, pauseBefore(1))
	assert.Equal(t, 4*firstPause, pauseBefore(3))
	assert.Equal(t, maxPause, pauseBefore(1000))
}

func TestHandlersErrorIsReturnedAsItIs(t *testing.T) {
	server := testserver.Shared(t, testserver.MySQL)
	schema := server.Schema(t)
	from := position(t, server, false)
	server.Exec(t, "CREATE TABLE "+schema+".t (id int PRIMARY KEY)")
	refused := errors.New("refused")
	stream := NewStream(settingsFor(server, schema), nil)
	err := stream.Run(t.Context(), from, nil, func(context.Context, *Event) error { return refused })
	assert.Equal(t, refused, err)
	assert.ErrorContains(t, stream.Run(t.Context(), from, nil, nil), "run before")
}
