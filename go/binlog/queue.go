package binlog

import (
	"context"

	"golang.org/x/sync/semaphore"

	"github.com/github/gh-ost/go/mysql"
)

// item is what the reading goroutine passes on. One of the fields is set.
type item struct {
	connected bool                    // the server has begun to send
	event     *Event                  // to be handled
	progress  *progress               // all events up to there have been passed on
	unseenXA  string                  // the name of a committed XA transaction whose rows were not seen
	at        mysql.BinlogCoordinates // of unseenXA

	cost int64 // bytes that it takes of the read-ahead
}

// progress is how far everything has been handled once the items before it have been. It never passes the rows of an
// XA transaction that wait for their commit: who starts again there must see them.
type progress struct {
	file string
	end  int64
	ids  []gtid // added to what was handled before
}

// queue is the read-ahead, bounded in events and in bytes.
type queue struct {
	items chan item
	bytes *semaphore.Weighted
	limit int64
}

func newQueue(events int, bytes int64) *queue {
	return &queue{items: make(chan item, events), bytes: semaphore.NewWeighted(bytes), limit: bytes}
}

// put waits for room, or for the end of ctx.
func (q *queue) put(ctx context.Context, it item) error {
	if it.event != nil {
		it.cost = min(footprint(it.event), q.limit) // the largest event gets through alone
		if err := q.bytes.Acquire(ctx, it.cost); err != nil {
			return err
		}
	}
	select {
	case q.items <- it:
		return nil
	case <-ctx.Done():
		q.bytes.Release(it.cost)
		return ctx.Err()
	}
}

// take waits for an item, or for the end of ctx. Its bytes stay taken until done is called.
func (q *queue) take(ctx context.Context) (item, error) {
	if err := ctx.Err(); err != nil {
		return item{}, err
	}
	select {
	case it := <-q.items:
		return it, nil
	case <-ctx.Done():
		return item{}, ctx.Err()
	}
}

func (q *queue) done(it item) {
	q.bytes.Release(it.cost)
}
