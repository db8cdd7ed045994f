package ledger

import (
	"slices"
	"strings"
	"sync"
	"time"
)

// Wait is how long one statement waited for its answer.
type Wait struct {
	At        time.Time // when it was sent
	Duration  time.Duration
	Statement string // its verb
}

// Waits sum up the statements of a window of time.
type Waits struct {
	Count         int
	Longest       Wait
	P50, P95, P99 time.Duration
}

// WriteWaits sums up the writers' statements, BEGIN, COMMIT and ROLLBACK among them, that were waiting at any moment
// between from and to, those included that still are. A zero time leaves that end open. It may be called at any time.
func (l *Ledger) WriteWaits(from, to time.Time) Waits {
	recorders := make([]*recorder, len(l.writers))
	for i, w := range l.writers {
		recorders[i] = w.waits
	}
	return summarize(recorders, from, to)
}

// ReadWaits is WriteWaits for the readers' statements.
func (l *Ledger) ReadWaits(from, to time.Time) Waits {
	recorders := make([]*recorder, len(l.readers))
	for i, r := range l.readers {
		recorders[i] = r.waits
	}
	return summarize(recorders, from, to)
}

// op is a statement's kind.
type op uint8

const (
	opOther op = iota
	opBegin
	opCommit
	opRollback
	opInsert
	opUpdate
	opDelete
	opReplace
	opSelect
)

var opNames = [...]string{"other", "BEGIN", "COMMIT", "ROLLBACK", "INSERT", "UPDATE", "DELETE", "REPLACE", "SELECT"}

func opOf(query string) op {
	verb, _, _ := strings.Cut(query, " ")
	return op(max(0, slices.Index(opNames[:], verb)))
}

// recorder keeps each wait of one session, at 24 bytes a statement.
type recorder struct {
	start time.Time // monotonic; all times below count from it

	mutex   sync.Mutex
	done    []measure
	current measure // the statement under way, if waiting
	waiting bool
}

type measure struct {
	from, to time.Duration
	op       op
}

func newRecorder(start time.Time) *recorder { return &recorder{start: start} }

func (r *recorder) begin(op op) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	r.current = measure{from: time.Since(r.start), op: op}
	r.waiting = true
}

func (r *recorder) end() {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	r.current.to = time.Since(r.start)
	r.done = append(r.done, r.current)
	r.waiting = false
}

// overlapping appends the waits that touch the window.
func (r *recorder) overlapping(found []measure, from, to time.Duration) []measure {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	for _, wait := range r.done {
		if wait.from <= to && wait.to >= from {
			found = append(found, wait)
		}
	}
	if now := time.Since(r.start); r.waiting && r.current.from <= to && now >= from {
		still := r.current
		still.to = now
		found = append(found, still)
	}
	return found
}

func summarize(recorders []*recorder, from, to time.Time) Waits {
	var found []measure
	for _, r := range recorders {
		first, last := time.Duration(0), time.Duration(1<<63-1)
		if !from.IsZero() {
			first = from.Sub(r.start)
		}
		if !to.IsZero() {
			last = to.Sub(r.start)
		}
		found = r.overlapping(found, first, last)
	}
	if len(found) == 0 {
		return Waits{}
	}
	slices.SortFunc(found, func(a, b measure) int { return int(a.duration() - b.duration()) })
	at := func(share float64) time.Duration { return found[int(share*float64(len(found)-1))].duration() }
	longest := found[len(found)-1]
	return Waits{
		Count:   len(found),
		Longest: Wait{recorders[0].start.Add(longest.from), longest.duration(), opNames[longest.op]},
		P50:     at(0.50),
		P95:     at(0.95),
		P99:     at(0.99),
	}
}

func (m measure) duration() time.Duration { return m.to - m.from }
