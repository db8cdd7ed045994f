package apply

import (
	"context"
	"sync"
	"time"

	"github.com/github/gh-ost/go/binlog"
)

// BacklogCapacity is how many entries a backlog holds before the stream has to wait.
const BacklogCapacity = 1000

// backlogBytes bounds what the entries together weigh on the wire; one entry is taken in however large it is.
const backlogBytes = 16 << 20

// entry is a row event of the original, or a marker.
type entry struct {
	event     *binlog.Event
	reached   func() // for markers: told once all earlier entries are committed; must not block
	heartbeat bool   // a marker that a later one of its kind makes superfluous
	put       time.Time
}

// isUrgent tells whether somebody waits for the entry to be reached.
func (e *entry) isUrgent() bool { return e.event == nil && !e.heartbeat }

// Backlog holds what the stream has delivered and nobody has applied yet, in order. Put waits while it is full, so
// that the stream waits too. It is safe for concurrent use.
type Backlog struct {
	mutex   sync.Mutex
	entries []entry
	bytes   int
	urgent  int           // markers that somebody waits for
	changed chan struct{} // closed and replaced at each change that somebody may wait for
}

// NewBacklog returns an empty backlog.
func NewBacklog() *Backlog {
	return &Backlog{changed: make(chan struct{})}
}

// Len is the number of entries that wait.
func (b *Backlog) Len() int {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	return len(b.entries)
}

// Age is how long the entry has waited that comes next; 0 if none waits.
func (b *Backlog) Age() time.Duration {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	if len(b.entries) == 0 {
		return 0
	}
	return time.Since(b.entries[0].put)
}

// Put appends a row event, waiting while the backlog is full. It returns the context's error if that ends first.
func (b *Backlog) Put(ctx context.Context, event *binlog.Event) error {
	return b.put(ctx, entry{event: event})
}

// PutMarker appends a marker: reached is called once everything put before has been committed. It is called by the
// goroutine that applies, which waits for it, so it must not block.
func (b *Backlog) PutMarker(ctx context.Context, reached func()) error {
	return b.put(ctx, entry{reached: reached})
}

// PutHeartbeat appends a marker, never waits, and takes the place of a heartbeat that stands last in the backlog: any
// number of them in a row take one entry, so that heartbeats alone cannot make the stream wait.
func (b *Backlog) PutHeartbeat(reached func()) {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	if last := len(b.entries) - 1; last >= 0 && b.entries[last].heartbeat {
		b.entries[last].reached = reached
		return
	}
	b.append(entry{reached: reached, heartbeat: true})
}

func (b *Backlog) put(ctx context.Context, e entry) error {
	for {
		b.mutex.Lock()
		if len(b.entries) < BacklogCapacity && (b.bytes < backlogBytes || len(b.entries) == 0) {
			b.append(e)
			b.mutex.Unlock()
			return nil
		}
		changed := b.changed
		b.mutex.Unlock()
		select {
		case <-changed:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func (b *Backlog) append(e entry) {
	e.put = time.Now()
	b.entries = append(b.entries, e)
	if e.isUrgent() {
		b.urgent++
	}
	if e.event != nil {
		b.bytes += e.event.Bytes
	}
	b.signal()
}

func (b *Backlog) signal() {
	close(b.changed)
	b.changed = make(chan struct{})
}

// Discard throws away whatever is in the backlog and comes to it, until the context ends: nobody applies any more, and
// the stream must not wait.
func (b *Backlog) Discard(ctx context.Context) {
	for {
		if _, err := b.take(ctx, rowsPerBatch, bytesPerBatch); err != nil {
			return
		}
	}
}

// gather waits while the next entries are few and young: until one of them has waited that long, until there are as many as
// given, or until somebody waits for a marker. It returns the context's error if that ends first.
func (b *Backlog) gather(ctx context.Context, age time.Duration, enough int) error {
	for {
		b.mutex.Lock()
		changed, remaining := b.changed, age
		if len(b.entries) > 0 {
			remaining = age - time.Since(b.entries[0].put)
		}
		ripe := remaining <= 0 || len(b.entries) >= enough || b.urgent > 0
		b.mutex.Unlock()
		if ripe {
			return nil
		}
		if err := waitFor(ctx, changed, remaining); err != nil {
			return err
		}
	}
}

// waitFor waits for one of the two, or for the end of the context, whose error it returns.
func waitFor(ctx context.Context, changed <-chan struct{}, atMost time.Duration) error {
	timer := time.NewTimer(atMost)
	defer timer.Stop()
	select {
	case <-changed:
	case <-timer.C:
	case <-ctx.Done():
		return ctx.Err()
	}
	return nil
}

// take removes the next entries: row events of together up to maxRows rows and maxBytes bytes (one at least), or the
// markers that come next. It waits while there are none.
func (b *Backlog) take(ctx context.Context, maxRows, maxBytes int) ([]entry, error) {
	for {
		b.mutex.Lock()
		if n := b.next(maxRows, maxBytes); n > 0 {
			taken := append([]entry(nil), b.entries[:n]...)
			clear(b.entries[:n]) // let go of the rows
			b.entries = b.entries[n:]
			for i := range taken {
				if taken[i].event != nil {
					b.bytes -= taken[i].event.Bytes
				}
				if taken[i].isUrgent() {
					b.urgent--
				}
			}
			b.signal()
			b.mutex.Unlock()
			return taken, nil
		}
		changed := b.changed
		b.mutex.Unlock()
		select {
		case <-changed:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// next counts the entries that make up the next share: all markers, or all row events within the bounds.
func (b *Backlog) next(maxRows, maxBytes int) int {
	rows, bytes := 0, 0
	for i := range b.entries {
		event := b.entries[i].event
		if (event == nil) != (b.entries[0].event == nil) {
			return i
		}
		if event == nil {
			continue
		}
		rows += len(event.Rows)
		bytes += event.Bytes
		if i > 0 && (rows > maxRows || bytes > maxBytes) {
			return i
		}
	}
	return len(b.entries)
}
