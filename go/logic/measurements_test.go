package logic

import (
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/github/gh-ost/go/base"
	"github.com/github/gh-ost/go/internal/ledger"
	"github.com/github/gh-ost/go/internal/testserver"
	"github.com/github/gh-ost/go/logic/throttle"
)

// recordingEmitter keeps what is measured: the sum of counts, the last of gauges, the number of observations.
type recordingEmitter struct {
	mutex  sync.Mutex
	values map[string]float64
}

func newRecordingEmitter() *recordingEmitter { return &recordingEmitter{values: map[string]float64{}} }

func (e *recordingEmitter) change(name string, tags []string, change func(float64) float64) {
	e.mutex.Lock()
	defer e.mutex.Unlock()
	if len(tags) > 0 {
		name += " " + strings.Join(tags, ",")
	}
	e.values[name] = change(e.values[name])
}

func (e *recordingEmitter) Gauge(name string, value float64, tags ...string) {
	e.change(name, tags, func(float64) float64 { return value })
}

func (e *recordingEmitter) Count(name string, value int64, tags ...string) {
	e.change(name, tags, func(sum float64) float64 { return sum + float64(value) })
}

func (e *recordingEmitter) Histogram(name string, _ float64, tags ...string) {
	e.change(name, tags, func(number float64) float64 { return number + 1 })
}

// value is what was measured; the metric must be there.
func (e *recordingEmitter) value(t *testing.T, name string) float64 {
	t.Helper()
	e.mutex.Lock()
	defer e.mutex.Unlock()
	require.Contains(t, slices.Sorted(maps.Keys(e.values)), name)
	return e.values[name]
}

func TestAMigrationIsMeasuredUnderTheNamesThatDashboardsKnow(t *testing.T) {
	server := testserver.Shared(t, testserver.MySQL)
	schema := server.Schema(t)
	load := startLoad(t, server, schema, "t", ledger.Options{Rows: 2000, Writers: 4})
	emitter, hooks := newRecordingEmitter(), newHookRecorder()
	m := newMigration(t, server, schema, "t", "ADD COLUMN extra int NOT NULL DEFAULT 7", func(c *base.MigrationContext) {
		c.Metrics, c.Hooks = emitter, hooks
		c.CountTableRows, c.ConcurrentCountTableRows = true, false
		c.PostponeCutOverFlagFile = t.TempDir() + "/postpone"
		c.SetDefaultNumRetries(3)
	})
	// Given that it is throttled for a while, postponed for a while, and that its first attempt fails
	hooks.at["before-row-copy"] = func() error {
		controls{m.Migrator}.ThrottleByUser(true)
		time.AfterFunc(300*time.Millisecond, func() { controls{m.Migrator}.ThrottleByUser(false) })
		return nil
	}
	hooks.at["begin-postponed"] = func() error {
		server.Exec(t, "CREATE TABLE "+schema+"._t_del (mine int)")
		time.AfterFunc(1500*time.Millisecond, func() { m.context.RequestUnpostpone(time.Now()) })
		return nil
	}
	result := m.start()
	require.Eventually(t, func() bool { return m.log.contains("is not ours") }, 20*time.Second, time.Millisecond)
	server.Exec(t, "DROP TABLE "+schema+"._t_del")

	require.NoError(t, requireEnd(t, result, time.Minute))

	load.requireNothingLost(t, "t")
	assert.EqualValues(t, 1, emitter.value(t, "startup"))
	assert.Positive(t, emitter.value(t, "row_copy.rows_copied"))
	assert.Positive(t, emitter.value(t, "row_copy.rows_estimate"))
	assert.Positive(t, emitter.value(t, "dml.events_applied"))
	assert.EqualValues(t, 1000, emitter.value(t, "binlog.backlog_capacity"))
	assert.InDelta(t, emitter.value(t, "binlog.backlog_size")/1000, emitter.value(t, "binlog.backlog_utilization"), 1e-9)
	emitter.value(t, "lag.replication_seconds throttled:false")
	emitter.value(t, "lag.heartbeat_seconds throttled:false")
	assert.Zero(t, emitter.value(t, "throttle.active"))
	assert.Positive(t, emitter.value(t, "throttle.events_total reason:user-command"))
	assert.Positive(t, emitter.value(t, "throttle.duration_milliseconds reason:user-command"))
	for _, query := range []string{"side:target,kind:range_select", "side:source,kind:row_count", "side:target,kind:chunk_copy", "side:target,kind:binlog_apply"} {
		assert.Positive(t, emitter.value(t, "query.duration_milliseconds "+query+",outcome:ok"))
	}
	for _, stage := range []string{"cut_over_postpone", "retry_backoff", "chunk_throttle"} {
		assert.Positive(t, emitter.value(t, "sleep.duration_milliseconds stage:"+stage))
		assert.Positive(t, emitter.value(t, "sleep.total_milliseconds stage:"+stage))
	}
	assert.EqualValues(t, 1, emitter.value(t, "cut_over.attempts_total outcome:success"))
	assert.Positive(t, emitter.value(t, "cut_over.attempts_total outcome:retry"))
	assert.EqualValues(t, 1, emitter.value(t, "cut_over.total_duration_milliseconds outcome:success"))
	for _, phase := range []string{"magic_lock", "original_table_lock", "magic_rename", "unlock"} {
		assert.EqualValues(t, 1, emitter.value(t, "cut_over.phase_duration_milliseconds phase:"+phase+",outcome:success"))
	}
}

func TestThrottlingIsMeasuredByItsFirstReasonWhenItEnds(t *testing.T) {
	emitter := newRecordingEmitter()
	m := &measurements{emitter: emitter}
	start := time.Now()
	m.throttling(throttle.Verdict{Throttled: true, Cause: throttle.Lag, Reason: "lag=2.5s"}, start)
	assert.EqualValues(t, 1, emitter.value(t, "throttle.active"))
	m.throttling(throttle.Verdict{Throttled: true, Cause: throttle.MaxLoad}, start.Add(time.Second))
	assert.NotContains(t, emitter.values, "throttle.events_total reason:lag", "it has not ended")
	m.throttling(throttle.Verdict{}, start.Add(2*time.Second))
	assert.EqualValues(t, 1, emitter.value(t, "throttle.events_total reason:lag"))
	assert.Zero(t, emitter.value(t, "throttle.active"))

	m.throttling(throttle.Verdict{Throttled: true, Cause: throttle.HTTP}, start)
	m.end(start.Add(time.Second))
	assert.EqualValues(t, 1, emitter.value(t, "throttle.events_total reason:http"), "the end of the run ends it")
}
