package rowcopy

import (
	"context"
	gosql "database/sql"
	"errors"
	"fmt"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/github/gh-ost/go/mysql"
	"github.com/github/gh-ost/go/sql"
)

// Retries are paused by growing steps between these bounds.
const (
	firstPause = 50 * time.Millisecond
	lastPause  = time.Second
)

// A chunk that met a locked row is tried again after pauses between these, doubled each time, before it waits for the row.
const (
	firstEagerPause = time.Millisecond
	lastEagerPause  = 4 * time.Millisecond
)

// A range whose rows stay locked is cut into pieces, down to this number of rows; those are waited for.
const (
	piecesPerRange = 8
	fewRows        = 50
)

// While clients write to the table chunks take no longer than this, and sessions that rest look at this interval whether they
// still do. A shorter chunk keeps clients waiting for a processor, or for a row, for less long.
const (
	yieldingChunkTime = 10 * time.Millisecond
	restInterval      = 20 * time.Millisecond
)

// errWaitInstead says that a range cannot be copied without waiting.
var errWaitInstead = errors.New("rows of the range stay locked")

// Settings is what a Copier needs. All fields must be set, except where said otherwise.
type Settings struct {
	// DB is the pool of copying sessions: READ COMMITTED, with the time zone and sql_mode of a native ALTER.
	DB *gosql.DB
	// Statements are those of the migrated table.
	Statements *sql.CopyStatements
	// Eager are the same statements with a lock clause that does not wait, which are tried first; nil: they are not. A copy
	// that waits for a client's row while the client waits for one of its own is a deadlock, and clients lose those.
	Eager *sql.CopyStatements
	// Bounds is what to copy.
	Bounds Bounds
	// Start is how far an earlier run has come; its zero value: nowhere.
	Start LowWater
	// Concurrency is the number of sessions that copy, at least 1.
	Concurrency int
	// Wait returns when copying is allowed: at once, after throttling, or when events have been applied first.
	Wait func(ctx context.Context) error
	// ChunkSize is the number of rows in a range, or in the first one if ChunkTime adapts it.
	ChunkSize func() int64
	// ChunkTime is how long a chunk should take; the size is adapted to it. 0: the size stays.
	ChunkTime func() time.Duration
	// Yield is the time to pause after each chunk, as a multiple of the time that the chunk took, if clients are writing to the
	// table; 0: they are not, or need not be minded. While they are, one session copies, and chunks are small.
	Yield func() float64
	// NiceRatio is the time to pause after each chunk, as a multiple of the time that the chunk took.
	NiceRatio func() float64
	// Retries is how often a chunk is tried.
	Retries int64
	// Pause waits between two attempts, or returns the context's error if that ends first.
	Pause func(ctx context.Context, d time.Duration) error
	// Copied is told of each copied range, the rows that were new to the ghost, and the time it took.
	Copied func(r Range, rows int64, took time.Duration)
	// Retrying is told of each failed attempt that will be repeated.
	Retrying func(r Range, err error, attempt int64)
}

// Copier copies the original's rows.
type Copier struct {
	Settings
	sizer    *chunkSizer
	lowWater *lowWaterMark
	recount  recount
}

// NewCopier returns a copier; Run starts it.
func NewCopier(settings Settings) *Copier {
	c := &Copier{Settings: settings, lowWater: newLowWaterMark(settings.Start), recount: recount{earlier: !settings.Start.IsZero()}}
	c.sizer = &chunkSizer{configured: settings.ChunkSize, target: c.chunkTime}
	return c
}

// chunkTime is how long a chunk should take now.
func (c *Copier) chunkTime() time.Duration {
	target := c.ChunkTime()
	if c.Yield() > 0 {
		target = min(target, yieldingChunkTime)
	}
	return target
}

// LowWater is how far the copy has come without a gap. It may be called while the copy runs.
func (c *Copier) LowWater() LowWater { return c.lowWater.get() }

// Run copies everything within the bounds. It returns the first error, or the context's.
func (c *Copier) Run(ctx context.Context) error {
	if c.Bounds.IsEmpty() {
		return nil
	}
	group, ctx := errgroup.WithContext(ctx)
	ranges := make(chan Range, c.Concurrency)
	produced := make(chan struct{})
	group.Go(func() error {
		defer close(ranges)
		defer close(produced)
		return c.produce(ctx, ranges)
	})
	for i := range c.Concurrency {
		group.Go(func() error {
			for {
				if i > 0 {
					c.rest(ctx, produced)
				}
				r, more := <-ranges
				if !more {
					return nil
				}
				if err := c.copyRange(ctx, r); err != nil {
					return err
				}
				c.lowWater.finish(r)
			}
		})
	}
	return group.Wait()
}

// rest keeps a session from copying while one is enough, until no range is left to be looked for.
func (c *Copier) rest(ctx context.Context, produced <-chan struct{}) {
	ticker := time.NewTicker(restInterval)
	defer ticker.Stop()
	for c.Yield() > 0 {
		select {
		case <-ticker.C:
		case <-produced:
			return
		case <-ctx.Done():
			return
		}
	}
}

func (c *Copier) produce(ctx context.Context, ranges chan<- Range) error {
	w := newWalk(c.DB, c.Statements, c.Bounds, c.sizer.rows)
	if !c.Start.IsZero() {
		w.from, w.include, w.iteration = c.Start.Range.To, false, c.Start.Range.Iteration+1
	}
	for {
		var r Range
		var ok bool
		err := c.retry(ctx, func(err error, attempt int64) { c.Retrying(Range{Iteration: w.iteration}, err, attempt) },
			func() (err error) { r, ok, err = w.next(ctx); return err })
		if err != nil || !ok {
			return err
		}
		select {
		case ranges <- r:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func (c *Copier) copyRange(ctx context.Context, r Range) error {
	took, err := c.copyEagerly(ctx, r)
	switch {
	case !errors.Is(err, errWaitInstead):
	case c.Eager != nil && r.Rows != fewRows:
		c.sizer.contended()
		return c.copyInPieces(ctx, r)
	default:
		err = c.retry(ctx, func(err error, attempt int64) { c.Retrying(r, err, attempt) }, func() (err error) {
			took, err = c.copyOnce(ctx, r, c.Statements)
			return err
		})
	}
	if err != nil {
		return &ChunkError{Range: r, Err: err}
	}
	return pause(ctx, time.Duration(max(c.NiceRatio(), c.Yield())*float64(took)))
}

// copyInPieces copies the range in smaller ones: fewer rows are locked at a time, and clients wait for them for less long.
func (c *Copier) copyInPieces(ctx context.Context, r Range) error {
	size := max(r.Rows/piecesPerRange, fewRows)
	if r.Rows == 0 { // the last range of the table, of unknown size
		size = fewRows
	}
	w := newWalk(c.DB, c.Statements, Bounds{Min: r.From, Max: r.To}, func() int64 { return size })
	w.include, w.iteration = r.IncludeFrom, r.Iteration
	for {
		var piece Range
		var ok bool
		err := c.retry(ctx, func(err error, attempt int64) { c.Retrying(r, err, attempt) },
			func() (err error) { piece, ok, err = w.next(ctx); return err })
		if err != nil || !ok {
			return err
		}
		piece.Iteration = r.Iteration
		if piece.Rows == 0 {
			piece.Rows = size // at most
		}
		if err := c.copyRange(ctx, piece); err != nil {
			return err
		}
	}
}

// copyEagerly tries the range without waiting for rows, a few times. The error is errWaitInstead if that was of no use.
func (c *Copier) copyEagerly(ctx context.Context, r Range) (took time.Duration, err error) {
	for wait := firstEagerPause; c.Eager != nil && wait <= lastEagerPause; wait *= 2 {
		took, err = c.copyOnce(ctx, r, c.Eager)
		if err == nil || mysql.IsPermanent(err) {
			return took, err
		}
		if err := pause(ctx, wait); err != nil {
			return 0, err
		}
	}
	return 0, errWaitInstead
}

func (c *Copier) copyOnce(ctx context.Context, r Range, statements *sql.CopyStatements) (took time.Duration, err error) {
	query, args, err := statements.InsertChunk(r.From, r.IncludeFrom, r.To)
	if err != nil {
		return 0, fmt.Errorf("preparing the copy of range %s: %w", r, err)
	}
	if err := c.Wait(ctx); err != nil {
		return 0, err
	}
	started := time.Now()
	result, err := c.DB.ExecContext(ctx, query, args...)
	if err != nil {
		return 0, err
	}
	rows, err := result.RowsAffected()
	if err != nil {
		return 0, err
	}
	took = time.Since(started)
	c.sizer.observe(r.Rows, took)
	rows = c.recount.count(r, rows)
	c.lowWater.add(r.Iteration, rows)
	c.Copied(r, rows, took)
	return took, nil
}

// retry repeats what may work the next time: what the server refuses because of the data will not.
func (c *Copier) retry(ctx context.Context, retrying func(err error, attempt int64), do func() error) error {
	wait := firstPause
	for attempt := int64(1); ; attempt++ {
		err := do()
		switch {
		case err == nil:
			return nil
		case ctx.Err() != nil:
			return ctx.Err()
		case mysql.IsPermanent(err) || attempt >= c.Retries:
			return err
		}
		retrying(err, attempt)
		if err := c.Pause(ctx, wait); err != nil {
			return err
		}
		wait = min(2*wait, lastPause)
	}
}

func pause(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return ctx.Err()
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// ChunkError says which range could not be copied.
type ChunkError struct {
	Range Range
	Err   error // the server's; for a value that does not fit it names the column
}

func (e *ChunkError) Error() string {
	if mysql.IsDataError(e.Err) {
		return fmt.Sprintf("the altered table does not take a row of the original with key in %s: %v. Correct the row or the ALTER; --skip-strict-mode lets the server bend values", e.Range, e.Err)
	}
	return fmt.Sprintf("copying range %s: %v", e.Range, e.Err)
}

func (e *ChunkError) Unwrap() error { return e.Err }
