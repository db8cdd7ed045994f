package binlog

import (
	"context"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/github/gh-ost/go/internal/testserver"
	"github.com/github/gh-ost/go/mysql"
)

// manyRows inserts count rows of about 200 bytes in one transaction.
func manyRows(t testing.TB, server *testserver.Server, schema, session string, count string) {
	t.Helper()
	query := session + "INSERT INTO " + schema + ".t WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < " + count + ") " +
		"SELECT i, i * 7, repeat('x', 160), i / 3, now() FROM n"
	limit := "SET cte_max_recursion_depth = 1000000; "
	if server.Flavor == testserver.MariaDB {
		limit = "SET max_recursive_iterations = 1000000; "
	}
	server.Exec(t, limit+query)
}

const manyRowsTable = ".t (id int PRIMARY KEY, a bigint, c varchar(200), d decimal(20,4), e datetime)"

func TestLargeTransactionTakesBoundedMemory(t *testing.T) {
	testserver.Both(t, func(t *testing.T, server *testserver.Server) {
		for _, session := range []string{"", "SET binlog_transaction_compression = ON; "} {
			if session != "" && server.Flavor == testserver.MariaDB {
				continue
			}
			schema := server.Schema(t)
			server.Exec(t, "CREATE TABLE "+schema+manyRowsTable)
			settings := settingsFor(server, schema)
			from := position(t, server, false)
			manyRows(t, server, schema, session, "200000")

			runtime.GC()
			var before, now runtime.MemStats
			runtime.ReadMemStats(&before)
			var rows, events int
			var peak uint64
			start := time.Now()
			enough := context.Canceled
			err := NewStream(settings, nil).Run(t.Context(), from, nil, func(_ context.Context, event *Event) error {
				rows += len(event.Rows)
				if events++; events%200 == 0 {
					runtime.GC()
					runtime.ReadMemStats(&now)
					peak = max(peak, now.HeapAlloc)
					time.Sleep(time.Millisecond) // reading is faster than handling
				}
				if rows == 200000 {
					return enough
				}
				return nil
			})
			require.ErrorIs(t, err, enough)
			grown := int64(peak) - int64(before.HeapAlloc)
			t.Logf("%d events in %s, live heap grew by %d MiB", events, time.Since(start).Round(time.Millisecond), grown>>20)
			assert.Less(t, grown, int64(64<<20))
		}
	})
}

func TestBlockedHandlerStopsReadingAndLosesNothing(t *testing.T) {
	bothKinds(t, func(t *testing.T, server *testserver.Server, kind func(*Settings)) {
		schema := server.Schema(t)
		server.Exec(t, "CREATE TABLE "+schema+manyRowsTable)
		settings := settingsFor(server, schema)
		kind(&settings)
		settings.ReadAheadBytes = 1 << 20
		settings.OnReconnect = func(err error, _ mysql.BinlogCoordinates) { t.Errorf("lost: %v", err) }
		release := make(chan struct{})
		var once sync.Once
		blocked := make(chan struct{})
		from := position(t, server, settings.UseGTID)
		f := followFrom(t, settings, from, func(ctx context.Context, event *Event) error {
			if event.Kind == Insert {
				once.Do(func() { close(blocked) })
				select {
				case <-release:
				case <-ctx.Done():
				}
			}
			return nil
		})
		// More than the sockets' buffers hold, and the server waits for us longer than it would by itself.
		server.Exec(t, "SET GLOBAL net_write_timeout = 1")
		defer server.Exec(t, "SET GLOBAL net_write_timeout = 60")
		manyRows(t, server, schema, "", "100000")
		<-blocked
		time.Sleep(2500 * time.Millisecond)

		if !settings.UseGTID {
			stopped := f.Coordinates()
			assert.True(t, stopped.SmallerThan(position(t, server, false)), "reading has stopped: %s", stopped)
			time.Sleep(100 * time.Millisecond)
			assert.True(t, stopped.Equals(f.Coordinates()))
		}
		assert.True(t, f.HandledTransaction().Equals(from))

		close(release)
		for i, row := range flat(f.rows("t", 100000)) {
			if row.After[0] != int32(i+1) {
				t.Fatalf("row %d is %v", i+1, row.After[0])
			}
		}
		at := position(t, server, settings.UseGTID)
		f.waitUntil("all is handled", func() bool { return at.SmallerThanOrEquals(f.HandledTransaction()) })
	})
}

func TestCancellationFreesABlockedHandlerAndReader(t *testing.T) {
	server := testserver.Shared(t, testserver.MySQL)
	schema := server.Schema(t)
	server.Exec(t, "CREATE TABLE "+schema+manyRowsTable)
	settings := settingsFor(server, schema)
	settings.ReadAheadBytes = 1 << 20
	blocked := make(chan struct{})
	f := followFrom(t, settings, position(t, server, false), func(ctx context.Context, event *Event) error {
		close(blocked)
		<-ctx.Done()
		return ctx.Err()
	})
	manyRows(t, server, schema, "", "50000")
	<-blocked
	start := time.Now()
	f.cancel()
	assert.NoError(t, f.end())
	assert.Less(t, time.Since(start), 2*time.Second)
}

func TestQueueIsBoundedInBytes(t *testing.T) {
	q := newQueue(10, 1000)
	event := func(bytes int) item { return item{event: &Event{Kind: Insert, Bytes: bytes}} }
	require.NoError(t, q.put(t.Context(), event(600)))

	full, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	assert.Error(t, q.put(full, event(500)), "no room")

	it, err := q.take(t.Context())
	require.NoError(t, err)
	q.done(it)
	assert.NoError(t, q.put(t.Context(), event(5000)), "a larger one gets through alone")
}
