package binlog

import (
	"context"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/github/gh-ost/go/internal/testserver"
	"github.com/github/gh-ost/go/mysql"
)

func TestMain(m *testing.M) {
	code := testserver.Main(m, testserver.Options{})
	if err := goleak.Find(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = max(code, 1)
	}
	os.Exit(code)
}

// patience is how long a test waits for what must come.
const patience = 60 * time.Second

// follower is a stream that runs in a test, with a handler that keeps what it gets.
type follower struct {
	*Stream
	t      testing.TB
	cancel context.CancelFunc
	ended  chan struct{}
	err    error // valid once ended is closed

	mu      sync.Mutex
	events  []*Event
	arrived chan struct{} // closed and made anew with each event
}

// follow starts a stream at the server's current position, or at settings given by change, and returns once connected.
func follow(t testing.TB, server *testserver.Server, schema string, change ...func(*Settings)) *follower {
	t.Helper()
	settings := settingsFor(server, schema)
	for _, apply := range change {
		apply(&settings)
	}
	f := followFrom(t, settings, position(t, server, settings.UseGTID))
	return f
}

func settingsFor(server *testserver.Server, schema string) Settings {
	connection := mysql.NewConnectionConfig()
	connection.Key = mysql.InstanceKey{Hostname: server.Host, Port: server.Port}
	connection.User, connection.Password = server.User, server.Password
	flavor := mysql.MySQLFlavor
	if server.Flavor == testserver.MariaDB {
		flavor = mysql.MariaDBFlavor
	}
	return Settings{
		Connection: connection, ServerID: nextServerID(), Flavor: flavor,
		Follow: func(s, table string) bool { return s == schema && !strings.HasPrefix(table, "other") },
	}
}

var serverIDs struct {
	sync.Mutex
	last uint32
}

func nextServerID() uint32 {
	serverIDs.Lock()
	defer serverIDs.Unlock()
	serverIDs.last++
	return 70000 + serverIDs.last
}

func byGTID(s *Settings) { s.UseGTID = true }

// followFrom starts a stream and returns once it is connected.
func followFrom(t testing.TB, settings Settings, from mysql.BinlogCoordinates, inspect ...Handler) *follower {
	t.Helper()
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	f := &follower{
		Stream: NewStream(settings, nil), t: t, cancel: cancel, ended: make(chan struct{}), arrived: make(chan struct{}),
	}
	connected := make(chan struct{})
	handler := func(ctx context.Context, event *Event) error {
		for _, look := range inspect {
			if err := look(ctx, event); err != nil {
				return err
			}
		}
		f.mu.Lock()
		defer f.mu.Unlock()
		f.events = append(f.events, event)
		close(f.arrived)
		f.arrived = make(chan struct{})
		return nil
	}
	go func() {
		defer close(f.ended)
		f.err = f.Run(ctx, from, func() { close(connected) }, handler)
	}()
	t.Cleanup(func() {
		cancel()
		select {
		case <-f.ended:
		case <-time.After(patience):
			t.Error("the stream does not end when its context does")
		}
	})
	select {
	case <-connected:
	case <-f.ended:
		require.NoError(t, f.err)
	case <-time.After(patience):
		t.Fatal("the stream does not connect")
	}
	return f
}

// waitFor waits until the events satisfy a condition, and returns them.
func (f *follower) waitFor(what string, condition func([]*Event) bool) []*Event {
	f.t.Helper()
	deadline := time.After(patience)
	for {
		f.mu.Lock()
		events, arrived := f.events[:len(f.events):len(f.events)], f.arrived
		f.mu.Unlock()
		if condition(events) {
			return events
		}
		select {
		case <-arrived:
		case <-f.ended:
			f.t.Fatalf("the stream ended while waiting for %s: %v", what, f.err)
		case <-deadline:
			f.t.Fatalf("no %s within %s; %d events", what, patience, len(events))
		}
	}
}

// rows waits until a count of row changes of a table has come, and returns them in order.
func (f *follower) rows(table string, count int) []*Event {
	f.t.Helper()
	var found []*Event
	f.waitFor(fmt.Sprintf("%d rows of %s", count, table), func(events []*Event) bool {
		found = nil
		total := 0
		for _, event := range events {
			if event.Kind != Statement && event.Table == table {
				found = append(found, event)
				total += len(event.Rows)
			}
		}
		return total >= count
	})
	return found
}

// changesOf are the row changes of a table that have come by now, as text.
func (f *follower) changesOf(table string) []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	var result []string
	for _, event := range f.events {
		if event.Kind == Statement || event.Table != table {
			continue
		}
		for _, row := range event.Rows {
			result = append(result, fmt.Sprintf("%s %v %v", event.Kind, row.Before, row.After))
		}
	}
	return result
}

// end waits for the stream to end by itself, and returns its error.
func (f *follower) end() error {
	f.t.Helper()
	select {
	case <-f.ended:
		return f.err
	case <-time.After(patience):
		f.t.Fatal("the stream does not end")
		return nil
	}
}

// position is where the server's log ends.
func position(t testing.TB, server *testserver.Server, gtid bool) mysql.BinlogCoordinates {
	t.Helper()
	db := server.DB(t)
	if gtid {
		flavor, query := mysql.MySQLFlavor, "SELECT @@GLOBAL.gtid_executed"
		if server.Flavor == testserver.MariaDB {
			flavor, query = mysql.MariaDBFlavor, "SELECT @@GLOBAL.gtid_binlog_pos"
		}
		var set string
		require.NoError(t, db.QueryRowContext(t.Context(), query).Scan(&set))
		result, err := mysql.NewGTIDBinlogCoordinates(flavor, set)
		require.NoError(t, err)
		return result
	}
	query := "SHOW BINARY LOG STATUS"
	if server.Flavor == testserver.MariaDB {
		query = "SHOW MASTER STATUS"
	}
	rows, err := db.QueryContext(t.Context(), query)
	require.NoError(t, err)
	defer rows.Close()
	columns, err := rows.Columns()
	require.NoError(t, err)
	require.True(t, rows.Next())
	var file string
	var offset int64
	values := make([]any, len(columns))
	for i := range values {
		values[i] = new(any)
	}
	values[0], values[1] = &file, &offset
	require.NoError(t, rows.Scan(values...))
	return mysql.NewFileBinlogCoordinates(file, offset)
}

// waitUntil waits for what no event announces.
func (f *follower) waitUntil(what string, condition func() bool) {
	f.t.Helper()
	for deadline := time.Now().Add(patience); !condition(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			f.t.Fatalf("not within %s: %s", patience, what)
		}
	}
}
