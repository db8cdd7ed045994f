package logic

import (
	"context"
	gosql "database/sql"
	"errors"
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/github/gh-ost/go/base"
	"github.com/github/gh-ost/go/internal/ledger"
	"github.com/github/gh-ost/go/internal/testproxy"
	"github.com/github/gh-ost/go/internal/testserver"
	"github.com/github/gh-ost/go/logic/cutover"
)

// Fault tests migrate a small table under load and do harm at a chosen point of the cut-over. The points are the phases
// of an attempt: a fault "at" a phase happens when the attempt has come to it and has not acted yet.

// allFaults tells whether every combination is to be run (`make faults`), or a choice of them.
func allFaults() bool { return os.Getenv("FAULTS") == "all" }

// noise is what a statement may take on a busy machine without anybody holding it.
const noise = 400 * time.Millisecond

// steps are the points of an attempt that succeeds, in their order.
var steps = []cutover.Phase{cutover.Preparing, cutover.Locking, cutover.Draining, cutover.Renaming, cutover.Checking,
	cutover.Dropping, cutover.Proving, cutover.Unlocking, cutover.Swapping}

// someSteps are those that a short run looks at.
func someSteps(some ...cutover.Phase) []cutover.Phase {
	if allFaults() {
		return steps
	}
	return some
}

// faultRun is a migration of the table t under load.
type faultRun struct {
	*migration
	t      *testing.T
	server *testserver.Server
	schema string
	load   *load
	admin  *gosql.DB
	proxy  *testproxy.Proxy // between the migration and the server; nil: none
	leaks  goleak.Option

	mutex  sync.Mutex
	points map[string]*point
	began  time.Time // the first attempt
}

type point struct {
	times int
	do    func()
}

// newFaultRun starts the load and prepares the migration.
func newFaultRun(t *testing.T, server *testserver.Server, options ...func(*base.MigrationContext)) *faultRun {
	schema := server.Schema(t)
	r := &faultRun{t: t, server: server, schema: schema, points: map[string]*point{}}
	r.load = startLoad(t, server, schema, "t", ledger.Options{Rows: 300, Writers: 6, Readers: 2, Seed: uint64(time.Now().UnixNano())})
	r.admin = r.load.db
	r.leaks = goleak.IgnoreCurrent()
	r.migration = newMigration(t, server, schema, "t", "ADD COLUMN extra int NOT NULL DEFAULT 7", options...)
	r.seam = r.pass
	t.Cleanup(func() { r.Migrator.context.CancelContext() }) // it must not go on beside other tests
	return r
}

// throughProxy makes the whole migration run through a proxy.
func throughProxy(proxy *testproxy.Proxy) func(*base.MigrationContext) {
	return func(c *base.MigrationContext) {
		c.InspectorConnectionConfig.Key.Port = proxy.Port()
		c.AssumeMasterHostname = fmt.Sprintf("127.0.0.1:%d", proxy.Port())
		c.SkipPortValidation = true
	}
}

// newProxiedRun is newFaultRun with a network that can fail.
func newProxiedRun(t *testing.T, server *testserver.Server, options ...func(*base.MigrationContext)) *faultRun {
	proxy := testproxy.Start(t, fmt.Sprintf("%s:%d", server.Host, server.Port))
	r := newFaultRun(t, server, append(options, throughProxy(proxy))...)
	r.proxy = proxy
	return r
}

func lockTimeout(seconds int64) func(*base.MigrationContext) {
	return func(c *base.MigrationContext) {
		if err := c.SetCutOverLockTimeoutSeconds(seconds); err != nil {
			panic(err)
		}
	}
}

// at does something the first time that an attempt comes to the point.
func (r *faultRun) at(phase cutover.Phase, do func()) { r.atTimes(phase, 1, do) }

func (r *faultRun) atTimes(phase cutover.Phase, times int, do func()) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	r.points[phase.String()] = &point{times, do}
}

func (r *faultRun) pass(name string) {
	r.mutex.Lock()
	if r.began.IsZero() {
		r.began = time.Now()
	}
	p := r.points[name]
	due := p != nil && p.times > 0
	if due {
		p.times--
	}
	r.mutex.Unlock()
	if due {
		p.do()
	}
}

// reached tells whether the fault at the point has happened.
func (r *faultRun) requireReached(phase cutover.Phase) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	require.Zero(r.t, r.points[phase.String()].times, "the attempt must have come to %s", phase)
}

var sessionIDs = regexp.MustCompile(`the locking session is (\d+), the renaming session is (\d+)`)

// sessions are the server's ids of the running attempt's sessions.
func (r *faultRun) sessions() (lock, rename int64) {
	r.log.mutex.Lock()
	defer r.log.mutex.Unlock()
	for i := len(r.log.lines) - 1; i >= 0; i-- {
		if match := sessionIDs.FindStringSubmatch(r.log.lines[i]); match != nil {
			lock, _ = strconv.ParseInt(match[1], 10, 64)
			rename, _ = strconv.ParseInt(match[2], 10, 64)
			return lock, rename
		}
	}
	panic("no attempt has begun")
}

func (r *faultRun) lockID() int64   { lock, _ := r.sessions(); return lock }
func (r *faultRun) renameID() int64 { _, rename := r.sessions(); return rename }

// kill is what an operator does. That the session is gone is fine.
func (r *faultRun) kill(what string, id int64) {
	_, err := r.admin.Exec(fmt.Sprintf("KILL %s %d", what, id))
	if err != nil && !strings.Contains(err.Error(), "1094") {
		assert.NoError(r.t, err)
	}
}

// connection is the way of a session through the proxy.
func (r *faultRun) connection(id int64) *testproxy.Conn {
	for _, conn := range r.proxy.Conns() {
		if int64(conn.ID()) == id {
			return conn
		}
	}
	panic(fmt.Sprintf("no connection %d passes through the proxy", id))
}

// outcomes are those of the attempts so far, in their order.
func (r *faultRun) outcomes() []string {
	r.log.mutex.Lock()
	defer r.log.mutex.Unlock()
	var outcomes []string
	for _, line := range r.log.lines {
		if _, report, found := strings.Cut(line, "Cut-over report: attempt="); found {
			outcomes = append(outcomes, strings.Split(report, `"`)[1])
		}
	}
	return outcomes
}

// succeed runs the migration, which must succeed and leave nothing.
func (r *faultRun) succeed() {
	r.t.Helper()
	require.NoError(r.t, requireEnd(r.t, r.start(), 2*time.Minute))
	r.requireSwapped()
}

// requireSwapped holds a migration that has succeeded to all that it promises.
func (r *faultRun) requireSwapped() {
	r.t.Helper()
	r.load.requireNothingLost(r.t, "t")
	require.NoError(r.t, r.load.Stats().Err())
	assert.Equal(r.t, []string{"_t_del", "t"}, tablesOf(r.t, r.admin, r.schema))
	assert.True(r.t, r.isSwapped())
	assert.Equal(r.t, "swapped", r.outcomes()[len(r.outcomes())-1])
	r.requireClean()
}

// isSwapped tells which table stands under the original's name.
func (r *faultRun) isSwapped() bool {
	var columns int
	require.NoError(r.t, r.admin.QueryRow("SELECT COUNT(*) FROM information_schema.columns WHERE table_schema = ? AND table_name = 't' AND column_name = 'extra'", r.schema).Scan(&columns))
	return columns == 1
}

// requireClean: no sentry, no session with whatever it held, no goroutine is left of the run.
func (r *faultRun) requireClean() {
	r.t.Helper()
	r.load.stop()
	if r.proxy != nil {
		r.proxy.Close() // what is stalled in it ends with it
	}
	comment, _, err := tables{r.admin}.comment(context.Background(), r.names.old)
	require.NoError(r.t, err)
	assert.NotEqual(r.t, sentryComment, comment, "no sentry may stay")
	// A session that sends the binary log to a lost connection ends with its next heartbeat.
	assert.Eventually(r.t, func() bool { return len(sessionsOf(r.t, r.server)) == 0 }, 20*time.Second, 20*time.Millisecond,
		"the server must have no session of the run: %v", sessionsOf(r.t, r.server))
	// The test's own pools keep a goroutine for each connection that they open.
	goleak.VerifyNone(r.t, r.leaks, goleak.IgnoreAnyFunction("github.com/go-sql-driver/mysql.(*mysqlConn).startWatcher.func1"),
		goleak.IgnoreAnyFunction("database/sql.(*DB).connectionOpener"))
}

// sessionsOf lists the sessions of the account that migrations run with.
func sessionsOf(t *testing.T, server *testserver.Server) (sessions []string) {
	query := "SELECT id, command, COALESCE(state, ''), COALESCE(info, '') FROM information_schema.processlist WHERE user = ?"
	if server.Flavor == testserver.MySQL { // whose process list fails while a statement with a four-byte character runs
		query = "SELECT processlist_id, processlist_command, COALESCE(processlist_state, ''), COALESCE(processlist_info, '')" +
			" FROM performance_schema.threads WHERE processlist_user = ?"
	}
	rows, err := server.DB(t).Query(query, server.User)
	require.NoError(t, err)
	defer rows.Close()
	for rows.Next() {
		var id, command, state, info string
		require.NoError(t, rows.Scan(&id, &command, &state, &info))
		sessions = append(sessions, strings.Join([]string{id, command, state, info}, " "))
	}
	require.NoError(t, rows.Err())
	return sessions
}

// requireStall: no writer has waited for longer, but for what the machine may add, judged by the time before the cut-over.
func (r *faultRun) requireStall(limit time.Duration) {
	r.t.Helper()
	longest, before := r.load.WriteWaits(time.Time{}, time.Time{}).Longest, r.load.WriteWaits(time.Time{}, r.began).Longest
	assert.LessOrEqual(r.t, longest.Duration, limit+noise+before.Duration, "the longest wait of a writer: %+v; before the cut-over: %+v", longest, before)
}

// endTruthfully runs the migration to whatever end. If it says that writes slipped through, that must be the only harm;
// if it does not, there must be none. It returns whether it said so.
func (r *faultRun) endTruthfully() (slipped bool) {
	r.t.Helper()
	err := requireEnd(r.t, r.start(), 2*time.Minute)
	var slippedWrites *SlippedWritesError
	if !errors.As(err, &slippedWrites) {
		require.NoError(r.t, err)
		r.requireSwapped()
		return false
	}
	r.t.Log(err)
	assert.True(r.t, r.isSwapped())
	r.requireClean()
	return true
}
