package logic

import (
	"sync"
	"sync/atomic"
	"time"
)

const (
	// busyRate is the number of rows changed in a second from which on clients are said to be writing.
	busyRate = 50

	// busyWindow is the time over which that is measured.
	busyWindow = 250 * time.Millisecond
)

// clientWrites tells whether clients are writing to the original. The zero value has seen nobody. It is safe for concurrent
// use.
type clientWrites struct {
	rows atomic.Int64

	mutex sync.Mutex
	since time.Time
	seen  int64 // rows at that time
	busy  bool
}

// add counts changed rows.
func (w *clientWrites) add(rows int) { w.rows.Add(int64(rows)) }

// areBusy tells whether clients wrote in the last moments.
func (w *clientWrites) areBusy(now time.Time) bool {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	elapsed := now.Sub(w.since)
	if elapsed < busyWindow {
		return w.busy
	}
	rows := w.rows.Load()
	w.busy = !w.since.IsZero() && float64(rows-w.seen) >= busyRate*elapsed.Seconds()
	w.since, w.seen = now, rows
	return w.busy
}
