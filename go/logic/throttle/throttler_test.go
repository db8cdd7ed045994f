package throttle

import (
	"context"
	gosql "database/sql"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// lab is a throttler under test with everything it touches.
type lab struct {
	*Throttler
	settings *liveSettings
	gauge    *gauge
	log      *testLog
	aborts   chan error
	changes  chan Verdict
}

// newLab starts a throttler on the given settings and ends it with the test.
func newLab(t *testing.T, settings values) *lab {
	l := prepareLab(settings)
	l.start(t)
	select {
	case <-l.FirstCollected():
	case <-time.After(10 * time.Second):
		t.Fatal("the first measurements did not come in")
	}
	return l
}

func prepareLab(settings values) *lab {
	if settings.maxLag == 0 {
		settings.maxLag = 1500 * time.Millisecond
	}
	l := &lab{settings: &liveSettings{current: settings}, gauge: &gauge{}, log: &testLog{}, aborts: make(chan error, 10), changes: make(chan Verdict, 1000)}
	l.Throttler = New(Config{
		Settings:  l.settings,
		Meter:     l.gauge,
		OwnLag:    l.gauge.ownLag,
		Abort:     func(err error) { l.aborts <- err },
		OnChange:  func(_ context.Context, verdict Verdict) { l.changes <- verdict },
		UserAgent: "gh-ost/test",
		Log:       l.log,
	})
	return l
}

func (l *lab) start(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() { ended <- l.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		select {
		case err := <-ended:
			require.NoError(t, err)
		case <-time.After(5 * time.Second):
			t.Error("Run did not return after its context ended")
		}
	})
}

func (l *lab) set(by func(*values)) {
	l.settings.change(by)
	l.SettingsChanged()
}

func (l *lab) eventually(t *testing.T, reason string) {
	t.Helper()
	require.Eventually(t, func() bool { return l.reason() == reason }, 4*time.Second, 5*time.Millisecond,
		"the reason stays %q", l.reason())
}

func (l *lab) reason() string {
	_, reason, _ := l.Gate().State()
	return reason
}

// gauge measures what the test tells it.
type gauge struct {
	mu       sync.Mutex
	status   map[string]int64
	lag      time.Duration
	lagErr   error
	replicas map[string]time.Duration
	query    func(ctx context.Context, query string) (int64, error)
	hang     chan struct{} // own lag hangs until it is closed
	reading  atomic.Int32  // own lag reads under way
	most     atomic.Int32
}

func (g *gauge) change(by func(*gauge)) {
	g.mu.Lock()
	defer g.mu.Unlock()
	by(g)
}

func (g *gauge) GlobalStatus(_ context.Context, name string) (int64, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if value, known := g.status[name]; known {
		return value, nil
	}
	return 0, errors.New("sql: no rows in result set")
}

func (g *gauge) QueryInt(ctx context.Context, query string) (int64, error) {
	g.mu.Lock()
	run := g.query
	g.mu.Unlock()
	return run(ctx, query)
}

func (g *gauge) ReplicaLag(_ context.Context, replica string) (time.Duration, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if lag, known := g.replicas[replica]; known {
		return lag, nil
	}
	return 0, fmt.Errorf("dial %s: no such host", replica)
}

func (g *gauge) ownLag(ctx context.Context) (time.Duration, error) {
	g.most.Store(max(g.most.Load(), g.reading.Add(1)))
	defer g.reading.Add(-1)
	g.mu.Lock()
	hang, lag, err := g.hang, g.lag, g.lagErr
	g.mu.Unlock()
	if hang != nil {
		select {
		case <-hang:
		case <-ctx.Done():
			return 0, ctx.Err()
		}
	}
	return lag, err
}

type testLog struct {
	mu    sync.Mutex
	lines []string
}

func (l *testLog) add(format string, args []interface{}) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lines = append(l.lines, fmt.Sprintf(format, args...))
}
func (l *testLog) Infof(format string, args ...interface{})          { l.add(format, args) }
func (l *testLog) Warningf(format string, args ...interface{}) error { l.add(format, args); return nil }
func (l *testLog) Errorf(format string, args ...interface{}) error   { l.add(format, args); return nil }
func (l *testLog) all() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return append([]string{}, l.lines...)
}

func TestAllIsMeasuredBeforeTheFirstMetricsAreSaidToBeThere(t *testing.T) {
	l := prepareLab(values{maxLoad: map[string]int64{"Threads_running": 5}})
	l.gauge.status = map[string]int64{"Threads_running": 7}
	l.gauge.hang = make(chan struct{})
	l.start(t)

	select {
	case <-l.FirstCollected():
		t.Fatal("the own lag has not been read")
	case <-time.After(200 * time.Millisecond):
	}
	close(l.gauge.hang)
	<-l.FirstCollected()
	require.Equal(t, "max-load Threads_running=7 >= 5", l.reason(), "the gate has heeded the first measurements")
}

func TestTheUsersCommandCountsWhenTheSetterReturns(t *testing.T) {
	l := newLab(t, values{})
	l.set(func(v *values) { v.throttledByUser = true })
	throttled, reason, hint := l.Gate().State()
	require.True(t, throttled)
	require.Equal(t, "commanded by user", reason)
	require.Equal(t, UserCommandHint, hint)

	passed := make(chan error)
	go func() { passed <- l.Gate().Wait(t.Context()) }()
	l.set(func(v *values) { v.throttledByUser = false })
	require.NoError(t, <-passed)
}

func TestFlagFilesAreSeenComingAndGoing(t *testing.T) {
	t.Parallel()
	flag, additional := filepath.Join(t.TempDir(), "flag"), filepath.Join(t.TempDir(), "additional")
	l := newLab(t, values{flagFile: flag, additional: additional})
	require.Empty(t, l.reason())

	for _, file := range []string{flag, additional} {
		require.NoError(t, os.WriteFile(file, nil, 0o600))
		l.eventually(t, "flag-file")
		require.NoError(t, os.Remove(file))
		l.eventually(t, "")
	}
}

func TestThePanicFileAbortsOnceAlthoughServersHang(t *testing.T) {
	t.Parallel()
	panicFile := filepath.Join(t.TempDir(), "panic")
	l := prepareLab(values{panicFile: panicFile})
	l.gauge.hang = make(chan struct{})
	l.start(t)
	require.NoError(t, os.WriteFile(panicFile, nil, 0o600))

	var abort *AbortError
	require.ErrorAs(t, <-l.aborts, &abort)
	require.Equal(t, PanicFlagFile, abort.Cause)
	require.Contains(t, abort.Error(), panicFile)
	time.Sleep(1200 * time.Millisecond)
	require.Empty(t, l.aborts, "the file still exists, but once is enough")
}

func TestLoadThrottlesFromItsThresholdOn(t *testing.T) {
	t.Parallel()
	l := newLab(t, values{})
	l.gauge.change(func(g *gauge) { g.status = map[string]int64{"Threads_running": 24} })

	l.set(func(v *values) { v.maxLoad = map[string]int64{"Threads_running": 24} })
	l.eventually(t, "max-load Threads_running=24 >= 24")
	l.set(func(v *values) { v.maxLoad = map[string]int64{"Threads_running": 25} })
	require.Empty(t, l.reason())
	l.set(func(v *values) { v.maxLoad = map[string]int64{"nosuch": 25} })
	l.eventually(t, "nosuch sql: no rows in result set")
}

func TestCriticalLoadAbortsAtOnceWithoutAnInterval(t *testing.T) {
	l := prepareLab(values{criticalLoad: map[string]int64{"Threads_running": 1000}})
	l.gauge.status = map[string]int64{"Threads_running": 1001}
	l.start(t)
	require.EqualError(t, <-l.aborts, "critical-load met: Threads_running=1001, >=1000")
}

func TestCriticalLoadMustBeMetTwiceWithAnInterval(t *testing.T) {
	settings := values{criticalLoad: map[string]int64{"Threads_running": 1000}, criticalLoadInterval: 300 * time.Millisecond}

	t.Run("it passed", func(t *testing.T) {
		l := prepareLab(settings)
		l.gauge.status = map[string]int64{"Threads_running": 1001}
		l.start(t)
		require.Eventually(t, func() bool { return len(l.log.all()) == 1 }, time.Second, time.Millisecond)
		require.Equal(t, "critical-load met once: Threads_running=1001, >=1000. Will check again in 300 millis", l.log.all()[0])
		l.gauge.change(func(g *gauge) { g.status = map[string]int64{"Threads_running": 3} })
		require.Eventually(t, func() bool { return len(l.log.all()) == 2 }, time.Second, time.Millisecond)
		require.Empty(t, l.aborts)
	})
	t.Run("it stayed", func(t *testing.T) {
		l := prepareLab(settings)
		l.gauge.status = map[string]int64{"Threads_running": 1001}
		began := time.Now()
		l.start(t)
		for range 5 {
			l.SettingsChanged() // an early look is not the second one
		}
		require.Error(t, <-l.aborts)
		require.WithinRange(t, time.Now(), began.Add(300*time.Millisecond), began.Add(900*time.Millisecond))
	})
}

func TestCriticalLoadHibernatesAndIsLeftInOrder(t *testing.T) {
	t.Parallel()
	l := prepareLab(values{criticalLoad: map[string]int64{"Threads_running": 1000}, criticalLoadHibernation: 700 * time.Millisecond})
	l.gauge.status = map[string]int64{"Threads_running": 1001}
	l.start(t)
	hibernating := <-l.changes
	require.Equal(t, Hibernation, hibernating.Cause)
	require.Contains(t, hibernating.Reason, "critical-load-hibernate until ")
	require.True(t, l.Hibernating())

	l.gauge.change(func(g *gauge) {
		g.status = map[string]int64{"Threads_running": 3}
		g.lagErr = errors.New("must not be read")
	})
	time.Sleep(300 * time.Millisecond)
	require.Len(t, l.log.all(), 1, "nothing is read while hibernating")
	l.gauge.change(func(g *gauge) { g.lagErr = nil })

	l.eventually(t, "")
	require.False(t, l.Hibernating())
	require.Empty(t, l.aborts)
}

func TestClearingCriticalLoadEndsHibernation(t *testing.T) {
	l := prepareLab(values{criticalLoad: map[string]int64{"Threads_running": 1000}, criticalLoadHibernation: time.Hour})
	l.gauge.status = map[string]int64{"Threads_running": 1001}
	l.start(t)
	<-l.changes
	l.set(func(v *values) { v.criticalLoad = nil })
	l.eventually(t, "")
}

func TestTheThrottleQueryThrottlesAboveZeroAndItsErrorsDoNot(t *testing.T) {
	l := prepareLab(values{query: "select 0"})
	l.gauge.query = func(_ context.Context, query string) (int64, error) {
		return map[string]int64{"select 1": 1, "select 0": 0}[query], map[string]error{"selct": errors.New("syntax error")}[query]
	}
	l.start(t)
	<-l.FirstCollected()
	require.Empty(t, l.reason())

	l.set(func(v *values) { v.query = "select 1" })
	l.eventually(t, "throttle-query")
	l.set(func(v *values) { v.query = "selct" })
	require.Empty(t, l.reason())
	require.Eventually(t, func() bool { return len(l.log.all()) == 1 }, time.Second, time.Millisecond)
	require.Equal(t, "throttle-query: syntax error", l.log.all()[0])
}

func TestAHangingQueryDelaysNothingElse(t *testing.T) {
	l := newLab(t, values{})
	l.gauge.change(func(g *gauge) {
		g.query = func(ctx context.Context, _ string) (int64, error) { <-ctx.Done(); return 0, ctx.Err() }
		g.status = map[string]int64{"Threads_running": 9}
	})
	l.set(func(v *values) { v.query = "select sleep(1e9)"; v.maxLoad = map[string]int64{"Threads_running": 9} })
	l.eventually(t, "max-load Threads_running=9 >= 9")
}

func TestOnlyOneReadOfTheOwnLagIsUnderWay(t *testing.T) {
	t.Parallel()
	l := newLab(t, values{maxLag: 100 * time.Millisecond})
	hang := make(chan struct{})
	l.gauge.change(func(g *gauge) { g.hang = hang })
	l.gauge.most.Store(0)
	require.Eventually(t, func() bool { return l.Gate().Verdict().Cause == Lag }, 3*time.Second, 5*time.Millisecond,
		"a lag that cannot be read any more does not pass for a small one")
	require.LessOrEqual(t, l.gauge.most.Load(), int32(1))
	close(hang)
	l.eventually(t, "")
}

func TestTheOwnLagThrottlesAboveTheLimit(t *testing.T) {
	l := newLab(t, values{})
	l.gauge.change(func(g *gauge) { g.lag = 1750 * time.Millisecond })
	l.eventually(t, "lag=1.750000s")
	require.Equal(t, 1750*time.Millisecond, l.Lag())
	l.set(func(v *values) { v.maxLag = 2 * time.Second })
	require.Empty(t, l.reason())
}

func TestControlReplicasCountWhenTheyLagOrCannotBeRead(t *testing.T) {
	l := newLab(t, values{maxLag: 900 * time.Millisecond})
	l.gauge.change(func(g *gauge) { g.replicas = map[string]time.Duration{"db2:3306": time.Second, "db3:3306": 0} })

	l.set(func(v *values) { v.controlReplicas = []string{"db3:3306", "db2:3306", "db2:3306"} })
	l.eventually(t, "db2:3306 replica-lag=1.000000s")
	l.gauge.change(func(g *gauge) { delete(g.replicas, "db3:3306") })
	l.eventually(t, "db3:3306 dial db3:3306: no such host")
	l.set(func(v *values) { v.controlReplicas = nil })
	require.Empty(t, l.reason())
}

func TestTheHTTPCheckSendsHEADAndHeedsTheStatus(t *testing.T) {
	var status atomic.Int32
	status.Store(200)
	requests := make(chan *http.Request, 1)
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		select {
		case requests <- r:
		default:
		}
		w.WriteHeader(int(status.Load()))
	}))
	t.Cleanup(service.Close)
	l := newLab(t, values{url: service.URL})
	request := <-requests
	require.Equal(t, http.MethodHead, request.Method)
	require.Equal(t, "gh-ost/test", request.UserAgent())
	require.Empty(t, l.reason())

	status.Store(http.StatusTooManyRequests)
	l.eventually(t, "Too many requests (http=429)")
	l.set(func(v *values) { v.url = "" })
	require.Empty(t, l.reason(), "a URL that is gone has no last status")
	l.set(func(v *values) { v.url = service.URL + "/freno" })
	l.eventually(t, "freno: threshold exceeded (http=429)")
	l.set(func(v *values) { v.url = "://not a url" })
	l.eventually(t, "Connection error (http=-1)")
	l.set(func(v *values) { v.ignoreHTTPErrors = true })
	require.Empty(t, l.reason())
}

func TestAServiceThatDoesNotAnswerIsAConnectionError(t *testing.T) {
	hang := make(chan struct{})
	service := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-hang }))
	t.Cleanup(service.Close)
	t.Cleanup(func() { close(hang) })
	l := newLab(t, values{url: service.URL, httpTimeout: 50 * time.Millisecond})
	l.eventually(t, "Connection error (http=-1)")
}

func TestAServiceThatIsGoneIsAConnectionErrorLoggedOnce(t *testing.T) {
	service := httptest.NewServer(http.NotFoundHandler())
	service.Close()
	l := newLab(t, values{url: service.URL})
	l.eventually(t, "Connection error (http=-1)")
	time.Sleep(200 * time.Millisecond)
	require.Len(t, l.log.all(), 1)
}

func TestChangesAreToldWhenTheCauseChangesNotWhenItsNumberDoes(t *testing.T) {
	l := newLab(t, values{})
	for lag := 2 * time.Second; lag < 2500*time.Millisecond; lag += 50 * time.Millisecond {
		l.gauge.change(func(g *gauge) { g.lag = lag })
		time.Sleep(20 * time.Millisecond)
	}
	first := <-l.changes
	require.Equal(t, Lag, first.Cause)
	l.set(func(v *values) { v.throttledByUser = true })
	require.Equal(t, "commanded by user", (<-l.changes).Reason)
	l.set(func(v *values) { v.throttledByUser = false; v.maxLag = time.Hour })
	require.Equal(t, Verdict{Hint: NoHint}, <-l.changes)
	require.Empty(t, l.changes)
}

func TestNothingIsToldInsideTheCriticalSection(t *testing.T) {
	l := newLab(t, values{})
	restore := l.Gate().Bypass()
	l.set(func(v *values) { v.throttledByUser = true })
	time.Sleep(250 * time.Millisecond)
	require.Empty(t, l.changes)
	restore()
	require.Equal(t, UserCommand, (<-l.changes).Cause)
}

func TestASlowListenerHoldsUpNoDecision(t *testing.T) {
	l := prepareLab(values{})
	release := make(chan struct{})
	told := make(chan Verdict, 10)
	l.config.OnChange = func(_ context.Context, verdict Verdict) { told <- verdict; <-release }
	l.start(t)
	<-l.FirstCollected()
	t.Cleanup(func() { close(release) })

	l.set(func(v *values) { v.throttledByUser = true })
	require.True(t, (<-told).Throttled)
	for range 10 {
		l.set(func(v *values) { v.throttledByUser = !v.throttledByUser })
	}
	require.Equal(t, "commanded by user", l.reason())
	release <- struct{}{}
	time.Sleep(50 * time.Millisecond)
	require.Empty(t, told, "what came and went meanwhile is no change")
}

func TestRunEndsPromptlyWhateverHangs(t *testing.T) {
	l := prepareLab(values{query: "q", controlReplicas: []string{"a:1"}})
	l.gauge.query = func(ctx context.Context, _ string) (int64, error) { <-ctx.Done(); return 0, ctx.Err() }
	l.gauge.hang = make(chan struct{})
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	began := time.Now()
	require.NoError(t, l.Run(ctx))
	require.Less(t, time.Since(began), time.Second)
	require.Empty(t, l.log.all(), "an ended run is no failure of its measurements")
}

func TestAFirstHeartbeatThatIsOnItsWayIsNoReasonToComplain(t *testing.T) {
	t.Parallel()
	l := prepareLab(values{maxLag: time.Minute})
	l.gauge.lagErr = fmt.Errorf("no heartbeat: %w", gosql.ErrNoRows)
	l.start(t)
	<-l.FirstCollected()
	require.Empty(t, l.log.all())
}

func TestALagThatCouldNeverBeReadHoldsBackInTheEnd(t *testing.T) {
	t.Parallel()
	l := prepareLab(values{maxLag: 100 * time.Millisecond})
	l.gauge.lagErr = errors.New("no heartbeat")
	l.start(t)
	<-l.FirstCollected()
	require.Empty(t, l.reason(), "a failed read counts as the first: nobody waits for ever")
	require.Eventually(t, func() bool { return l.Gate().Verdict().Cause == Lag }, 3*time.Second, 5*time.Millisecond)
	require.Equal(t, []string{"reading the replication lag: no heartbeat"}, l.log.all())
}
