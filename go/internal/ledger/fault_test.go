package ledger_test

import (
	"context"
	"database/sql"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/github/gh-ost/go/internal/ledger"
	"github.com/github/gh-ost/go/internal/testproxy"
	"github.com/github/gh-ost/go/internal/testserver"
)

func TestTransactionsWhoseCommitMeetsAFaultAreSettled(t *testing.T) {
	for name, fault := range map[string]func(*testproxy.Proxy, testproxy.Match) *testproxy.Rule{
		"cut before":        (*testproxy.Proxy).CutBefore,
		"cut during":        (*testproxy.Proxy).CutDuring,
		"cut after":         (*testproxy.Proxy).CutAfter,
		"request swallowed": (*testproxy.Proxy).SwallowRequest,
		"reply swallowed":   (*testproxy.Proxy).SwallowReply,
	} {
		t.Run(name, func(t *testing.T) {
			onBoth(t, func(t *testing.T, b *bench) {
				proxy := testproxy.Start(t, b.config.Addr)
				db := connectThrough(t, proxy, b.config)
				table := b.newTable()
				l := ledger.New(db, table, ledger.Options{Rows: 200, StatementTimeout: 400 * time.Millisecond})
				require.NoError(t, l.Create(t.Context()))
				const faults = 16
				rule := fault(proxy, testproxy.Text("COMMIT")).Limit(faults)
				stop := start(t, l)

				require.Eventually(t, func() bool { return rule.Hits() == faults }, 20*time.Second, time.Millisecond)
				stop()

				assert.GreaterOrEqual(t, l.Stats().Settled, int64(faults))
				assert.Zero(t, l.Stats().Contradictions+l.Stats().Errors, "%+v", l.Stats())
				require.NoError(t, verify(t, l, table).Err())
			})
		})
	}
}

// A statement that a stalled network still carries when its client has given it up must not change the table after the
// client has found out that it did not happen.
func TestStatementsHeldByAStalledNetworkDoNotHappenLater(t *testing.T) {
	onBoth(t, func(t *testing.T, b *bench) { b.stalledStatements(t, func(*testproxy.Proxy) {}) })
}

// Nor may it where the session that asks for the stalled one's end is lost as well.
func TestStatementsOfSeveralLostSessionsDoNotHappenLater(t *testing.T) {
	onBoth(t, func(t *testing.T, b *bench) {
		b.stalledStatements(t, func(proxy *testproxy.Proxy) { proxy.CutDuring(testproxy.Text("SELECT IS_USED_LOCK")).Limit(16) })
	})
}

func (b *bench) stalledStatements(t *testing.T, also func(*testproxy.Proxy)) {
	t.Helper()
	proxy := testproxy.Start(t, b.config.Addr)
	db := connectThrough(t, proxy, b.config)
	table := b.newTable()
	l := ledger.New(db, table, ledger.Options{Rows: 200, StatementTimeout: 400 * time.Millisecond, Pause: -1})
	require.NoError(t, l.Create(t.Context()))
	stalls := proxy.OnQuery(testproxy.Regexp(`^(UPDATE|DELETE|INSERT|REPLACE) .*`+table), func(c *testproxy.Conn) { c.Stall() }).Limit(16)
	also(proxy)
	stop := start(t, l)

	require.Eventually(t, func() bool { return stalls.Hits() == 16 && l.Stats().TimedOut >= 16 }, 20*time.Second, time.Millisecond)
	committed := l.Stats().Committed
	require.Eventually(t, func() bool { return l.Stats().Committed > committed+100 }, 20*time.Second, time.Millisecond)
	proxy.Resume()
	stop()
	proxy.Close()

	assert.Zero(t, l.Stats().Contradictions+l.Stats().Errors, "%+v", l.Stats())
	report, err := l.Verify(t.Context(), b.db, table)
	require.NoError(t, err)
	require.NoError(t, report.Err())
}

func TestWritersOutliveTheServer(t *testing.T) {
	for name, end := range map[string]func(*testserver.Server, testing.TB){
		"restarted": (*testserver.Server).Restart,
		"killed": func(server *testserver.Server, t testing.TB) {
			server.Kill(t)
			server.Restart(t)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			testserver.BothFresh(t, testserver.Options{Durable: true}, func(t *testing.T, server *testserver.Server) {
				b := newBench(t, server)
				l, table := b.create(t, ledger.Options{Rows: 200, Readers: 1})
				stop := start(t, l)
				require.Eventually(t, func() bool { return l.Stats().Committed > 100 }, 20*time.Second, time.Millisecond)

				end(server, t)

				committed := l.Stats().Committed
				require.Eventually(t, func() bool { return l.Stats().Committed > committed+100 }, 20*time.Second, time.Millisecond)
				stop()
				assert.NotZero(t, l.Stats().LostConnections)
				require.NoError(t, l.Stats().Err())
				require.NoError(t, verify(t, l, table).Err())
			})
		})
	}
}

func TestRunEndsSoonThoughTheServerIsGone(t *testing.T) {
	server := testserver.Start(t, testserver.Options{})
	b := newBench(t, server)
	l, table := b.create(t, ledger.Options{StatementTimeout: time.Second, Readers: 1})
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- l.Run(ctx) }()
	require.Eventually(t, func() bool { return l.Stats().Committed > 0 }, 20*time.Second, time.Millisecond)

	server.Kill(t)
	cancel()

	select {
	case err := <-ended:
		require.NoError(t, err)
	case <-time.After(10 * time.Second):
		t.Fatal("Run still waits")
	}
	_, err := l.Verify(t.Context(), nil, table)
	require.Error(t, err)
}

func connectThrough(t *testing.T, proxy *testproxy.Proxy, config *mysql.Config) *sql.DB {
	t.Helper()
	config = config.Clone()
	config.Addr = proxy.Addr()
	connector, err := mysql.NewConnector(config)
	require.NoError(t, err)
	db := sql.OpenDB(connector)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	return db
}
