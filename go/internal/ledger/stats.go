package ledger

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"
)

// Stats are what the writers and readers have met so far.
type Stats struct {
	Committed  int64 // transactions, those settled as committed included
	RolledBack int64 // transactions, by intent or by an error
	Settled    int64 // transactions whose outcome had to be found out from their rows
	Reads      int64 // of the readers

	LostConnections int64 // statements that lost their connection
	Interrupted     int64 // statements that were killed or ran into the server's own time limit
	Deadlocks       int64
	LockWaits       int64    // lock wait timeouts
	NoTable         int64    // statements that found no table: there must be one at every moment
	TimedOut        int64    // statements that the client gave up after Options.StatementTimeout
	Errors          int64    // all other errors
	Samples         []string // missing tables, lock waits, time-outs and other errors, the first of each kind, with their time

	ConnectFailures  int64  // tries to connect
	LastConnectError string // of these

	Contradictions       int64    // what cannot be if no acknowledged write was lost or bent
	ContradictionSamples []string // the first of them, with their time
}

// Err returns an error if anything happened that no client of a healthy migration may see. Lost connections and
// interrupted statements are no such thing, nor are deadlocks and lock waits: whoever kills no session, or wants none
// of them for other reasons, looks at their numbers.
func (s Stats) Err() error {
	if s.NoTable+s.TimedOut+s.Errors+s.Contradictions == 0 {
		return nil
	}
	return fmt.Errorf("clients met %d missing tables, %d time-outs, %d other errors, %d contradictions: %q",
		s.NoTable, s.TimedOut, s.Errors, s.Contradictions, append(s.Samples, s.ContradictionSamples...))
}

// maxSamples is how many of the errors and of the contradictions are kept in words.
const maxSamples = 20

// observations are what all writers and readers of a ledger add to.
type observations struct {
	start time.Time

	committed, rolledBack, settled, reads             atomic.Int64
	lost, interrupted, deadlocks, lockWaits, noTable  atomic.Int64
	timedOut, others, contradictions, connectFailures atomic.Int64

	mutex                sync.Mutex
	sampled              map[string]bool
	samples              []string
	contradictionSamples []string
	lastConnectError     string
}

func newObservations(start time.Time) *observations {
	return &observations{start: start, sampled: map[string]bool{}}
}

// count takes down an error of a statement.
func (o *observations) count(err error, query string) {
	counter := &o.others
	switch number := serverError(err); {
	case number == errDeadlock:
		o.deadlocks.Add(1)
		return
	case number == errQueryInterrupted, number == errStatementTimeout, number == errQueryTimeout:
		o.interrupted.Add(1)
		return
	case number == errNoSuchTable:
		counter = &o.noTable
	case number == errLockWaitTimeout:
		counter = &o.lockWaits
	case errors.Is(err, context.DeadlineExceeded):
		counter = &o.timedOut
	case isLost(err):
		o.lost.Add(1)
		return
	}
	counter.Add(1)
	o.sample(&o.samples, fmt.Sprintf("%q: %v", query, err))
}

func (o *observations) connectFailed(err error) {
	o.connectFailures.Add(1)
	o.mutex.Lock()
	defer o.mutex.Unlock()
	o.lastConnectError = err.Error()
}

// contradict takes down something that must not be.
func (o *observations) contradict(format string, args ...any) {
	o.contradictions.Add(1)
	o.sample(&o.contradictionSamples, fmt.Sprintf(format, args...))
}

func (o *observations) sample(samples *[]string, text string) {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	if len(*samples) < maxSamples && !o.sampled[text] {
		o.sampled[text] = true
		*samples = append(*samples, time.Now().Format("15:04:05.000 ")+text)
	}
}

// Stats may be called at any time.
func (l *Ledger) Stats() Stats {
	o := l.log
	o.mutex.Lock()
	defer o.mutex.Unlock()
	return Stats{
		Committed:            o.committed.Load(),
		RolledBack:           o.rolledBack.Load(),
		Settled:              o.settled.Load(),
		Reads:                o.reads.Load(),
		LostConnections:      o.lost.Load(),
		Interrupted:          o.interrupted.Load(),
		Deadlocks:            o.deadlocks.Load(),
		LockWaits:            o.lockWaits.Load(),
		NoTable:              o.noTable.Load(),
		TimedOut:             o.timedOut.Load(),
		Errors:               o.others.Load(),
		Samples:              append([]string(nil), o.samples...),
		ConnectFailures:      o.connectFailures.Load(),
		LastConnectError:     o.lastConnectError,
		Contradictions:       o.contradictions.Load(),
		ContradictionSamples: append([]string(nil), o.contradictionSamples...),
	}
}
