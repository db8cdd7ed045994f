package base

import (
	"math"
	"sync"
	"sync/atomic"
	"time"

	"github.com/github/gh-ost/go/mysql"
)

// ETAUnknown is the estimated time, in nanoseconds or seconds, while there is nothing to estimate it from.
const ETAUnknown = math.MinInt64

// Progress is what is counted and measured while the migration runs. All methods are safe for concurrent use.
// The exported int64 fields are for embedding programs: read them with sync/atomic.
type Progress struct {
	_ [0]atomic.Int64 // aligns the plain int64 below on 32-bit machines

	// RowsEstimate is the estimated number of rows to copy, RowsDeltaEstimate what applied events have changed it by.
	RowsEstimate      int64
	RowsDeltaEstimate int64
	// TotalRowsCopied counts rows written by the copy, TotalDMLEventsApplied the row events applied.
	TotalRowsCopied       int64
	TotalDMLEventsApplied int64
	// CurrentLag is the replication lag measured last, in nanoseconds.
	CurrentLag int64
	// EtaRowsPerSecond is the number of rows copied in the last second.
	EtaRowsPerSecond int64
	// Iteration counts the chunks copied.
	Iteration int64
	// IsPostponingCutOver is 1 while the cut-over is being postponed, CutOverCompleteFlag 1 once the tables are swapped,
	// InCutOverCriticalSectionFlag 1 while clients may be held by the cut-over; else 0.
	IsPostponingCutOver          int64
	CutOverCompleteFlag          int64
	InCutOverCriticalSectionFlag int64

	progressPct atomic.Uint64 // bits of a float64
	eta         atomic.Int64  // nanoseconds, or ETAUnknown

	progressMutex     sync.Mutex // guards all below
	lastHeartbeat     time.Time
	pointOfInterest   time.Time
	recentCoordinates mysql.BinlogCoordinates
}

// GetRowsEstimate is the number of rows estimated at the start.
func (p *Progress) GetRowsEstimate() int64 { return atomic.LoadInt64(&p.RowsEstimate) }

// SetRowsEstimate sets the number of rows estimated, or counted.
func (p *Progress) SetRowsEstimate(rows int64) { atomic.StoreInt64(&p.RowsEstimate, rows) }

// AddRowsDelta notes that applied events have changed the number of rows.
func (p *Progress) AddRowsDelta(rows int64) { atomic.AddInt64(&p.RowsDeltaEstimate, rows) }

// GetTotalRowsEstimate is the estimate with what applied events have changed, never below 0.
func (p *Progress) GetTotalRowsEstimate() int64 {
	return max(atomic.LoadInt64(&p.RowsEstimate)+atomic.LoadInt64(&p.RowsDeltaEstimate), 0)
}

// GetTotalRowsCopied is the number of rows written by the copy.
func (p *Progress) GetTotalRowsCopied() int64 { return atomic.LoadInt64(&p.TotalRowsCopied) }

// AddRowsCopied adds to the number of rows written by the copy and returns the sum.
func (p *Progress) AddRowsCopied(rows int64) int64 { return atomic.AddInt64(&p.TotalRowsCopied, rows) }

// GetTotalDMLEventsApplied is the number of row events applied.
func (p *Progress) GetTotalDMLEventsApplied() int64 {
	return atomic.LoadInt64(&p.TotalDMLEventsApplied)
}

// AddDMLEventsApplied adds to the number of row events applied and returns the sum.
func (p *Progress) AddDMLEventsApplied(events int64) int64 {
	return atomic.AddInt64(&p.TotalDMLEventsApplied, events)
}

// GetIteration is the number of chunks copied.
func (p *Progress) GetIteration() int64 { return atomic.LoadInt64(&p.Iteration) }

// NextIteration counts one more chunk and returns the number.
func (p *Progress) NextIteration() int64 { return atomic.AddInt64(&p.Iteration, 1) }

// GetCurrentLagDuration is the replication lag measured last.
func (p *Progress) GetCurrentLagDuration() time.Duration {
	return time.Duration(atomic.LoadInt64(&p.CurrentLag))
}

// SetCurrentLag sets the replication lag measured last.
func (p *Progress) SetCurrentLag(lag time.Duration) { atomic.StoreInt64(&p.CurrentLag, int64(lag)) }

// GetEtaRowsPerSecond is the number of rows copied in the last second.
func (p *Progress) GetEtaRowsPerSecond() int64 { return atomic.LoadInt64(&p.EtaRowsPerSecond) }

// SetEtaRowsPerSecond sets the number of rows copied in the last second.
func (p *Progress) SetEtaRowsPerSecond(rows int64) { atomic.StoreInt64(&p.EtaRowsPerSecond, rows) }

// IsPostponing tells whether the cut-over is being postponed.
func (p *Progress) IsPostponing() bool { return atomic.LoadInt64(&p.IsPostponingCutOver) > 0 }

// SetPostponing notes whether the cut-over is being postponed.
func (p *Progress) SetPostponing(postponing bool) { storeFlag(&p.IsPostponingCutOver, postponing) }

// IsCutOverComplete tells whether the tables are swapped.
func (p *Progress) IsCutOverComplete() bool { return atomic.LoadInt64(&p.CutOverCompleteFlag) > 0 }

// MarkCutOverComplete notes that the tables are swapped.
func (p *Progress) MarkCutOverComplete() { storeFlag(&p.CutOverCompleteFlag, true) }

// IsInCutOverCriticalSection tells whether clients may be held by the cut-over.
func (p *Progress) IsInCutOverCriticalSection() bool {
	return atomic.LoadInt64(&p.InCutOverCriticalSectionFlag) > 0
}

// SetInCutOverCriticalSection notes whether clients may be held by the cut-over.
func (p *Progress) SetInCutOverCriticalSection(inside bool) {
	storeFlag(&p.InCutOverCriticalSectionFlag, inside)
}

func storeFlag(flag *int64, set bool) {
	var value int64
	if set {
		value = 1
	}
	atomic.StoreInt64(flag, value)
}

// GetProgressPct is the part of the rows that is copied, in percent; it may exceed 100.
func (p *Progress) GetProgressPct() float64 { return math.Float64frombits(p.progressPct.Load()) }

// SetProgressPct sets the part of the rows that is copied, in percent.
func (p *Progress) SetProgressPct(pct float64) { p.progressPct.Store(math.Float64bits(pct)) }

// GetETADuration is the time that the copy is expected still to take, or ETAUnknown nanoseconds.
func (p *Progress) GetETADuration() time.Duration { return time.Duration(p.eta.Load()) }

// SetETADuration sets the time that the copy is expected still to take.
func (p *Progress) SetETADuration(eta time.Duration) { p.eta.Store(int64(eta)) }

// GetETASeconds is the time that the copy is expected still to take, in whole seconds, at least 0; or ETAUnknown.
func (p *Progress) GetETASeconds() int64 {
	nanoseconds := p.eta.Load()
	if nanoseconds == ETAUnknown {
		return ETAUnknown
	}
	return max(nanoseconds/int64(time.Second), 0)
}

// SetLastHeartbeatOnChangelogTime notes the time that the newest heartbeat seen in the stream bears.
func (p *Progress) SetLastHeartbeatOnChangelogTime(written time.Time) {
	p.progressMutex.Lock()
	defer p.progressMutex.Unlock()
	p.lastHeartbeat = written
}

// GetLastHeartbeatOnChangelogTime is the time that the newest heartbeat seen in the stream bears; zero before the first.
func (p *Progress) GetLastHeartbeatOnChangelogTime() time.Time {
	p.progressMutex.Lock()
	defer p.progressMutex.Unlock()
	return p.lastHeartbeat
}

// MarkPointOfInterest notes that something happened after which status lines should come more often. It returns the
// number of chunks copied.
func (p *Progress) MarkPointOfInterest() int64 {
	p.progressMutex.Lock()
	defer p.progressMutex.Unlock()
	p.pointOfInterest = time.Now()
	return p.GetIteration()
}

// TimeSincePointOfInterest is the time since MarkPointOfInterest; very long if it was never called.
func (p *Progress) TimeSincePointOfInterest() time.Duration {
	p.progressMutex.Lock()
	defer p.progressMutex.Unlock()
	return time.Since(p.pointOfInterest)
}

// GetRecentBinlogCoordinates is the position in the stream noted last; nil before the first.
func (p *Progress) GetRecentBinlogCoordinates() mysql.BinlogCoordinates {
	p.progressMutex.Lock()
	defer p.progressMutex.Unlock()
	return p.recentCoordinates
}

// SetRecentBinlogCoordinates notes a position in the stream. The value is not to be changed afterwards.
func (p *Progress) SetRecentBinlogCoordinates(coordinates mysql.BinlogCoordinates) {
	p.progressMutex.Lock()
	defer p.progressMutex.Unlock()
	p.recentCoordinates = coordinates
}
