package testproxy_test

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/github/gh-ost/go/internal/testproxy"
	"github.com/github/gh-ost/go/internal/testserver"
)

func TestMain(m *testing.M) {
	code := testserver.Main(m, testserver.Options{})
	if err := goleak.Find(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = max(code, 1)
	}
	os.Exit(code)
}

// soon is longer than anything takes that is not held up, and silence is how long we listen to be sure that it is.
const (
	soon    = 10 * time.Second
	silence = 300 * time.Millisecond
)

func TestQueriesPassUnchanged(t *testing.T) {
	onBoth(t, func(t *testing.T, n *network) {
		large := strings.Repeat("é", 9<<20) // more than the 16 MiB of one packet
		n.direct(t, "SET GLOBAL max_allowed_packet = 64 << 20")

		var text string
		var length int
		require.NoError(t, n.db(t).QueryRow("SELECT ?, LENGTH(?)", "it's", large).Scan(&text, &length))

		assert.Equal(t, "it's", text)
		assert.Equal(t, len(large), length)
		assert.Empty(t, n.proxy.Find(testproxy.Text("never asked")))
	})
}

func TestConnectionsKnowTheirIDAndLastCommand(t *testing.T) {
	onBoth(t, func(t *testing.T, n *network) {
		conn := n.connect(t)

		var id uint32
		require.NoError(t, conn.QueryRowContext(t.Context(), "SELECT CONNECTION_ID()").Scan(&id))
		require.Len(t, n.proxy.Conns(), 1)
		assert.Equal(t, id, n.proxy.Conns()[0].ID())
		assert.Equal(t, testproxy.Command{Name: "COM_QUERY", Text: "SELECT CONNECTION_ID()"}, n.proxy.Conns()[0].LastCommand())

		require.NoError(t, conn.PingContext(t.Context()))
		assert.Equal(t, testproxy.Command{Name: "COM_PING"}, n.proxy.Conns()[0].LastCommand())
	})
}

func TestPreparedStatementsMatchByTheirText(t *testing.T) {
	onBoth(t, func(t *testing.T, n *network) {
		conn := n.connect(t)
		other, err := conn.PrepareContext(t.Context(), "SELECT 'other', ?")
		require.NoError(t, err)
		defer other.Close()
		wanted, err := conn.PrepareContext(t.Context(), "SELECT 'wanted', ?")
		require.NoError(t, err)
		defer wanted.Close()
		executed := n.proxy.OnQuery(testproxy.All(testproxy.Named("COM_STMT_EXECUTE"), testproxy.Text("wanted")), func(*testproxy.Conn) {})

		var name, argument string
		require.NoError(t, other.QueryRow("a").Scan(&name, &argument))
		assert.Zero(t, executed.Hits())
		require.NoError(t, wanted.QueryRow("b").Scan(&name, &argument))

		assert.Equal(t, []string{"wanted", "b"}, []string{name, argument})
		assert.Equal(t, 1, executed.Hits())
	})
}

func TestFaultsHitTheServerAndTheClientWhereTheySay(t *testing.T) {
	const insert = "INSERT INTO t VALUES (1)"
	for _, test := range []struct {
		name   string
		rule   func(*testproxy.Proxy, testproxy.Match) *testproxy.Rule
		done   bool // the server does it
		hangs  bool // the client waits for ever; else it sees its connection lost
		closed bool // the server's session ends
	}{
		{"CutBefore", (*testproxy.Proxy).CutBefore, false, false, true},
		{"CutDuring", (*testproxy.Proxy).CutDuring, true, false, true},
		{"CutAfter", (*testproxy.Proxy).CutAfter, true, false, true},
		{"SwallowRequest", (*testproxy.Proxy).SwallowRequest, false, true, false},
		{"SwallowReply", (*testproxy.Proxy).SwallowReply, true, true, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			onBoth(t, func(t *testing.T, n *network) {
				n.direct(t, "CREATE TABLE t (id int PRIMARY KEY)")
				conn := n.connect(t)
				other := n.connect(t)
				rule := test.rule(n.proxy, testproxy.Text("insert into t ")).Limit(1)

				answered := n.send(conn, insert)

				hit := rule.Wait(t)
				if test.hangs {
					assert.True(t, stillWaits(answered))
					assert.Equal(t, insert, hit.LastQuery())
					hit.Cut()
				}
				require.Error(t, <-answered)
				assert.Eventually(t, func() bool { return n.rows(t) == boolToInt(test.done) }, soon, time.Millisecond)
				if !test.done {
					time.Sleep(silence)
					assert.Zero(t, n.rows(t), "the server never gets it")
				}
				assert.Eventually(t, func() bool { return !n.alive(t, hit.ID()) }, soon, time.Millisecond)
				_, err := other.ExecContext(t.Context(), "DELETE FROM t")
				require.NoError(t, err, "other connections are as they were")
				_, err = other.ExecContext(t.Context(), insert)
				require.NoError(t, err, "the rule's limit is reached")
			})
		})
	}
}

func TestEveryRuleThatMatchesActsOnThatConnectionAlone(t *testing.T) {
	onBoth(t, func(t *testing.T, n *network) {
		conn := n.connect(t)
		n.proxy.SwallowReply(testproxy.Text("swallowed"))
		hook := n.proxy.OnQuery(testproxy.Text("swallowed"), func(*testproxy.Conn) {})
		ctx, cancel := context.WithTimeout(t.Context(), silence)
		defer cancel()

		_, err := conn.ExecContext(ctx, "DO 'swallowed'")

		require.ErrorIs(t, err, context.DeadlineExceeded)
		assert.Equal(t, 1, hook.Hits(), "a rule does not hide those made after it")
		require.NoError(t, n.connect(t).PingContext(t.Context()))
	})
}

func TestHookRunsBeforeTheServerHasTheCommand(t *testing.T) {
	onBoth(t, func(t *testing.T, n *network) {
		n.direct(t, "CREATE TABLE t (id int PRIMARY KEY)")
		conn := n.connect(t)
		seen := -1
		n.proxy.OnQuery(testproxy.Regexp(`(?i)^insert into t values \(\d\)$`), func(c *testproxy.Conn) { seen = n.rows(t) })

		_, err := conn.ExecContext(t.Context(), "INSERT INTO t VALUES (1)")

		require.NoError(t, err)
		assert.Zero(t, seen)
		assert.Equal(t, 1, n.rows(t))
	})
}

func TestStalledDirectionHoldsWhatItCarriesUntilItIsResumed(t *testing.T) {
	for name, test := range map[string]struct {
		direction testproxy.Direction
		meanwhile int
	}{
		"to the server": {testproxy.ToServer, 0},
		"to the client": {testproxy.ToClient, 1},
		"both":          {testproxy.Both, 0},
	} {
		t.Run(name, func(t *testing.T) {
			onBoth(t, func(t *testing.T, n *network) {
				n.direct(t, "CREATE TABLE t (id int PRIMARY KEY)")
				conn := n.connect(t)
				stall := n.proxy.OnQuery(testproxy.Text("INSERT"), func(c *testproxy.Conn) { c.Stall(test.direction) })

				answered := n.send(conn, "INSERT INTO t VALUES (1)")

				stalled := stall.Wait(t)
				assert.True(t, stillWaits(answered))
				assert.Equal(t, test.meanwhile, n.rows(t))
				stalled.Resume()
				require.NoError(t, <-answered)
				assert.Equal(t, 1, n.rows(t))
			})
		})
	}
}

func TestStalledNetworkHidesThatAClientHasGone(t *testing.T) {
	onBoth(t, func(t *testing.T, n *network) {
		conn := n.connect(t)
		id := n.proxy.Conns()[0].ID()
		n.proxy.Stall()
		ctx, cancel := context.WithTimeout(t.Context(), silence)
		defer cancel()

		_, err := conn.ExecContext(ctx, "DO 1") // the driver closes its socket
		require.Error(t, err)
		time.Sleep(silence)
		assert.True(t, n.alive(t, id))
		fresh, cancelFresh := context.WithTimeout(t.Context(), silence)
		defer cancelFresh()
		require.Error(t, n.db(t).PingContext(fresh), "new connections are stalled too")

		n.proxy.Resume()
		assert.Eventually(t, func() bool { return !n.alive(t, id) }, soon, time.Millisecond)
		require.NoError(t, n.db(t).PingContext(t.Context()))
	})
}

func TestPartitionedNetworkIsGoneUntilItHeals(t *testing.T) {
	onBoth(t, func(t *testing.T, n *network) {
		conn := n.connect(t)

		n.proxy.Partition()

		require.Error(t, conn.PingContext(t.Context()))
		require.Error(t, n.db(t).PingContext(t.Context()))
		assert.Eventually(t, func() bool { return len(n.proxy.Conns()) == 0 }, soon, time.Millisecond)
		n.proxy.Heal()
		require.NoError(t, n.db(t).PingContext(t.Context()))
	})
}

func TestCutFindsConnectionsByTheirLastCommand(t *testing.T) {
	onBoth(t, func(t *testing.T, n *network) {
		victim, bystander := n.connect(t), n.connect(t)
		answered := n.send(victim, "DO SLEEP(30)")
		require.Eventually(t, func() bool { return len(n.proxy.Find(testproxy.Text("sleep"))) == 1 }, soon, time.Millisecond)

		cut := n.proxy.Cut(testproxy.Text("sleep"))

		require.Len(t, cut, 1)
		require.Error(t, <-answered)
		require.NoError(t, bystander.PingContext(t.Context()))
		n.direct(t, fmt.Sprintf("KILL %d", cut[0].ID())) // MySQL would sleep on
	})
}

func TestHalfClosedServerStillAnswersAndThenEnds(t *testing.T) {
	onBoth(t, func(t *testing.T, n *network) {
		conn := n.connect(t)
		id := n.proxy.Conns()[0].ID()

		n.proxy.Conns()[0].HalfClose(testproxy.ToServer)

		assert.Eventually(t, func() bool { return !n.alive(t, id) }, soon, time.Millisecond)
		require.Error(t, conn.PingContext(t.Context()))
	})
}

func TestDelayAddsToEachDirection(t *testing.T) {
	onBoth(t, func(t *testing.T, n *network) {
		conn := n.connect(t)
		const delay = 60 * time.Millisecond
		took := func() time.Duration {
			begin := time.Now()
			rows, err := conn.QueryContext(t.Context(), "SELECT * FROM information_schema.COLLATIONS") // many packets
			require.NoError(t, err)
			for rows.Next() {
			}
			require.NoError(t, rows.Err())
			return time.Since(begin)
		}
		took()

		n.proxy.Delay(delay)
		both := took()
		n.proxy.Delay(0, testproxy.ToServer)
		one := took()
		n.proxy.Delay(0)
		none := took()

		assert.GreaterOrEqual(t, both, 2*delay)
		assert.Less(t, both, 2*delay+soon/10, "a delay is paid once, not for each packet")
		assert.GreaterOrEqual(t, one, delay)
		assert.Less(t, none, both)
	})
}

func TestOnMatchesOneConnectionAlone(t *testing.T) {
	onBoth(t, func(t *testing.T, n *network) {
		first, second := n.connect(t), n.connect(t)
		n.proxy.CutBefore(testproxy.On(n.proxy.Conns()[0]))

		require.NoError(t, second.PingContext(t.Context()))
		require.Error(t, first.PingContext(t.Context()))
	})
}

func TestRemovedRuleActsNoMore(t *testing.T) {
	onBoth(t, func(t *testing.T, n *network) {
		rule := n.proxy.CutBefore(testproxy.Text("DO"))
		rule.Remove()

		_, err := n.connect(t).ExecContext(t.Context(), "DO 1")

		require.NoError(t, err)
		assert.Zero(t, rule.Hits())
	})
}

func TestClientOfADeadServerIsTurnedAway(t *testing.T) {
	proxy := testproxy.Start(t, "127.0.0.1:1")
	config := mysql.NewConfig()
	config.Net, config.Addr, config.Logger = "tcp", proxy.Addr(), &mysql.NopLogger{}
	connector, err := mysql.NewConnector(config)
	require.NoError(t, err)
	db := sql.OpenDB(connector)
	defer db.Close()

	require.Error(t, db.PingContext(t.Context()))
	assert.Equal(t, proxy.Addr(), "127.0.0.1:"+strconv.Itoa(proxy.Port()))
}

// network is a schema on a server, and a proxy to it.
type network struct {
	proxy  *testproxy.Proxy
	server *testserver.Server
	schema string
}

func onBoth(t *testing.T, test func(t *testing.T, n *network)) {
	t.Helper()
	testserver.Both(t, func(t *testing.T, server *testserver.Server) {
		n := &network{server: server, schema: server.Schema(t)}
		n.proxy = testproxy.Start(t, server.AdminConfig("").Addr)
		test(t, n)
	})
}

// db is a pool through the proxy.
func (n *network) db(t *testing.T) *sql.DB {
	t.Helper()
	config := n.server.AdminConfig(n.schema)
	config.Addr = n.proxy.Addr()
	config.MaxAllowedPacket = 64 << 20
	connector, err := mysql.NewConnector(config)
	require.NoError(t, err)
	db := sql.OpenDB(connector)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	return db
}

func (n *network) connect(t *testing.T) *sql.Conn {
	t.Helper()
	conn, err := n.db(t).Conn(t.Context())
	require.NoError(t, err)
	t.Cleanup(func() { conn.Close() })
	return conn
}

// send sends a statement and returns where its error, or nil, will be.
func (n *network) send(conn *sql.Conn, statement string) <-chan error {
	answered := make(chan error, 1)
	go func() {
		_, err := conn.ExecContext(context.Background(), statement)
		answered <- err
	}()
	return answered
}

func stillWaits(answered <-chan error) bool {
	select {
	case <-answered:
		return false
	case <-time.After(silence):
		return true
	}
}

// direct does a statement around the proxy.
func (n *network) direct(t *testing.T, statement string) {
	t.Helper()
	_, err := n.server.SchemaDB(t, n.schema).ExecContext(t.Context(), statement)
	require.NoError(t, err, statement)
}

// rows counts the rows of table t, around the proxy.
func (n *network) rows(t *testing.T) (rows int) {
	t.Helper()
	require.NoError(t, n.server.SchemaDB(t, n.schema).QueryRowContext(t.Context(), "SELECT COUNT(*) FROM t").Scan(&rows))
	return rows
}

// alive says whether the server has a session with this id.
func (n *network) alive(t *testing.T, id uint32) bool {
	t.Helper()
	var found int
	query := "SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE ID = ?"
	require.NoError(t, n.server.DB(t).QueryRowContext(t.Context(), query, id).Scan(&found))
	return found > 0
}

func boolToInt(is bool) int {
	if is {
		return 1
	}
	return 0
}
