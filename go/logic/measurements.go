package logic

import (
	"strconv"
	"sync"
	"time"

	"github.com/github/gh-ost/go/logic/apply"
	"github.com/github/gh-ost/go/logic/cutover"
	"github.com/github/gh-ost/go/logic/throttle"
	"github.com/github/gh-ost/go/metrics"
)

// measurements sends the migration's metrics. Names and tags are what dashboards know; no tag has free text, so that their
// number stays small. It is safe for concurrent use.
type measurements struct {
	emitter metrics.Emitter

	mutex          sync.Mutex // guards all below
	throttledSince time.Time  // zero: not throttled
	throttledBy    throttle.Cause
	cutOverSince   time.Time // zero: no attempt has begun
}

// The values of the tags side and kind of queries.
const (
	sourceSide = "source"
	targetSide = "target"

	rangeSelectQuery = "range_select"
	rowCountQuery    = "row_count"
	chunkCopyQuery   = "chunk_copy"
	binlogApplyQuery = "binlog_apply"
)

// The values of the tag stage of sleeps.
const (
	postponeSleep    = "cut_over_postpone"
	backoffSleep     = "retry_backoff"
	throttleSleep    = "chunk_throttle"
	replicaWaitSleep = "replica_wait"
)

// leastSleep is the shortest wait that counts as a sleep.
const leastSleep = time.Millisecond

func (m *measurements) startup() { m.emitter.Count("startup", 1) }

// query measures one statement.
func (m *measurements) query(side, kind string, took time.Duration, err error) {
	outcome := "outcome:ok"
	if err != nil {
		outcome = "outcome:error"
	}
	m.emitter.Histogram("query.duration_milliseconds", inMillis(took), "side:"+side, "kind:"+kind, outcome)
}

// sleep measures time spent waiting on purpose.
func (m *measurements) sleep(stage string, slept time.Duration) {
	if slept < leastSleep {
		return
	}
	m.emitter.Histogram("sleep.duration_milliseconds", inMillis(slept), "stage:"+stage)
	m.emitter.Count("sleep.total_milliseconds", slept.Milliseconds(), "stage:"+stage)
}

// throttling notes a verdict. An interval counts when it ends, under its first reason.
func (m *measurements) throttling(verdict throttle.Verdict, now time.Time) {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	m.emitThrottled(verdict.Throttled)
	switch {
	case verdict.Throttled && m.throttledSince.IsZero():
		m.throttledSince, m.throttledBy = now, verdict.Cause
	case !verdict.Throttled && !m.throttledSince.IsZero():
		m.endThrottling(now)
	}
}

func (m *measurements) emitThrottled(throttled bool) {
	active := 0.0
	if throttled {
		active = 1
	}
	m.emitter.Gauge("throttle.active", active)
}

func (m *measurements) endThrottling(now time.Time) {
	reason := "reason:" + string(m.throttledBy)
	m.emitter.Histogram("throttle.duration_milliseconds", inMillis(now.Sub(m.throttledSince)), reason)
	m.emitter.Count("throttle.events_total", 1, reason)
	m.throttledSince = time.Time{}
}

// end closes an interval that goes on to the end of the run.
func (m *measurements) end(now time.Time) {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	if !m.throttledSince.IsZero() {
		m.endThrottling(now)
	}
}

// measureProgress sends the gauges of each tick.
func (mgtr *Migrator) measureProgress() {
	c, emitter := mgtr.context, mgtr.measure.emitter
	emitter.Gauge("row_copy.rows_copied", float64(c.GetTotalRowsCopied()))
	emitter.Gauge("row_copy.rows_estimate", float64(c.GetTotalRowsEstimate()))
	emitter.Gauge("dml.events_applied", float64(c.GetTotalDMLEventsApplied()))
	backlog := float64(mgtr.backlog.Len())
	emitter.Gauge("binlog.backlog_size", backlog)
	emitter.Gauge("binlog.backlog_capacity", apply.BacklogCapacity)
	emitter.Gauge("binlog.backlog_utilization", backlog/apply.BacklogCapacity)
	throttled, _, _ := mgtr.throttler.Gate().State()
	tag := "throttled:" + strconv.FormatBool(throttled)
	emitter.Gauge("lag.replication_seconds", c.GetCurrentLagDuration().Seconds(), tag)
	emitter.Gauge("lag.heartbeat_seconds", c.TimeSinceLastHeartbeatOnChangelog().Seconds(), tag)
	mgtr.measure.emitThrottled(throttled)
}

// cutOverOutcome is the value of the tag outcome.
type cutOverOutcome string

const (
	cutOverSucceeded cutOverOutcome = "success"
	cutOverRetried   cutOverOutcome = "retry"
	cutOverAborted   cutOverOutcome = "abort"
)

// cutOverBegins notes the beginning of an attempt; the first one begins the cut-over.
func (m *measurements) cutOverBegins(now time.Time) {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	if m.cutOverSince.IsZero() {
		m.cutOverSince = now
	}
}

// cutOverAttempt measures an attempt that has ended, and the cut-over as a whole if no other follows.
func (m *measurements) cutOverAttempt(outcome cutOverOutcome, report *CutOverReport, now time.Time) {
	m.emitter.Count("cut_over.attempts_total", 1, "outcome:"+string(outcome))
	ofPhase := "outcome:abort"
	if outcome == cutOverSucceeded {
		ofPhase = "outcome:success"
	}
	for phase, took := range report.measuredPhases() {
		m.emitter.Histogram("cut_over.phase_duration_milliseconds", inMillis(took), "phase:"+phase, ofPhase)
	}
	if outcome == cutOverRetried {
		return
	}
	m.mutex.Lock()
	defer m.mutex.Unlock()
	m.emitter.Histogram("cut_over.total_duration_milliseconds", inMillis(now.Sub(m.cutOverSince)), "outcome:"+string(outcome))
}

// measuredPhases sums the report's phases up under the names that dashboards know.
func (r *CutOverReport) measuredPhases() map[string]time.Duration {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	sums := map[string]time.Duration{}
	for _, p := range r.phases {
		switch p.phase {
		case cutover.Preparing:
			sums["magic_lock"] += p.took
		case cutover.Locking:
			sums["original_table_lock"] += p.took
		case cutover.Renaming, cutover.Checking, cutover.Dropping, cutover.Proving, cutover.Swapping:
			sums["magic_rename"] += p.took
		case cutover.Unlocking, cutover.Releasing:
			sums["unlock"] += p.took
		}
	}
	return sums
}

func inMillis(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
