package verify

import (
	"context"
	gosql "database/sql"
	"errors"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/github/gh-ost/go/sql"
)

// pass is one walk over the whole table. Its fields belong to the verifier's mutex.
type pass struct {
	started time.Time
	took    time.Duration // zero until it is complete
	rows    int64         // compared so far
}

var (
	errOverflow  = errors.New("more rows were changed than can be kept")
	errNotNeeded = errors.New("the cut-over does not need this pass")
)

// passes makes passes when they are due.
func (v *Verifier) passes(ctx context.Context) error {
	for {
		if !v.passIsDue() {
			if err := pause(ctx, lookInterval); err != nil {
				return err
			}
			continue
		}
		if v.pending.overflowed() {
			v.Overflowed()
			v.setLast(nil)
			v.pending.reset()
		}
		err := v.makePass(ctx)
		if err != nil && !errors.Is(err, errOverflow) && !errors.Is(err, errNotNeeded) {
			return err
		}
	}
}

// passIsDue tells whether to begin a pass: the first one; one more after an overflow, or for a cut-over that was postponed;
// and now and then while it is postponed.
func (v *Verifier) passIsDue() bool {
	overflow := v.pending.overflowed()
	v.mutex.Lock()
	defer v.mutex.Unlock()
	postponed := v.isPostponed()
	switch {
	case overflow || !v.isFresh():
		return true
	case postponed:
		return time.Since(v.last.started.Add(v.last.took)) > max(leastRest, restRatio*v.last.took)
	}
	return false
}

// isPostponed tells whether the cut-over is. Once it is not any more, a new wish begins.
func (v *Verifier) isPostponed() bool {
	postponed := v.Postponed()
	if postponed {
		v.wanted = time.Time{}
	}
	return postponed
}

// isNeeded tells whether the pass under way is of use: not if somebody wants to cut over and an earlier one is enough.
func (v *Verifier) isNeeded() bool {
	v.mutex.Lock()
	defer v.mutex.Unlock()
	return v.isPostponed() || v.wanted.IsZero() || !v.isFresh()
}

func (v *Verifier) setCurrent(current *pass) {
	v.mutex.Lock()
	defer v.mutex.Unlock()
	v.current = current
}

func (v *Verifier) setLast(last *pass) {
	v.mutex.Lock()
	defer v.mutex.Unlock()
	v.last = last
}

func (v *Verifier) makePass(ctx context.Context) error {
	current := &pass{started: time.Now()}
	v.setCurrent(current)
	defer v.setCurrent(nil)
	group, work := errgroup.WithContext(ctx)
	sets := make(chan sql.RowSet, v.Concurrency)
	group.Go(func() error {
		defer close(sets)
		return v.walk(work, sets)
	})
	for range v.Concurrency {
		group.Go(func() error {
			for set := range sets {
				if err := v.compare(work, current, set); err != nil {
					return err
				}
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}
	current.took = time.Since(current.started)
	v.Passed(current.rows, current.took)
	v.setLast(current)
	return nil
}

// walk cuts the table into sets of rows: ranges if both tables have them in common, and else keys, first of the original and
// then of the ghost.
func (v *Verifier) walk(ctx context.Context, sets chan<- sql.RowSet) error {
	if v.Statements.RangesAgree() {
		return v.walkRanges(ctx, sets)
	}
	for _, table := range []walked{{v.Statements.OriginalKeys, v.Statements.OriginalKeyColumns()}, {v.Statements.GhostKeys, v.Statements.GhostKeyColumns()}} {
		if err := v.walkKeys(ctx, table, sets); err != nil {
			return err
		}
	}
	return nil
}

func (v *Verifier) walkRanges(ctx context.Context, sets chan<- sql.RowSet) error {
	var from sql.Bound
	for {
		var to sql.Bound
		rows := v.chunk.rows()
		err := v.read(ctx, func(conn *gosql.Conn) (err error) {
			to, err = v.sessions.chunkEnd(ctx, connection{conn}, from, rows)
			return err
		})
		if err != nil {
			return err
		}
		if err := v.send(ctx, sets, sql.RowSet{From: from, To: to}); err != nil || to == nil {
			return err
		}
		from = to
	}
}

func (v *Verifier) walkKeys(ctx context.Context, table walked, sets chan<- sql.RowSet) error {
	var from sql.Bound
	for {
		var keys []sql.Bound
		var next sql.Bound
		err := v.read(ctx, func(conn *gosql.Conn) (err error) {
			keys, next, err = v.sessions.keys(ctx, connection{conn}, table, from, keysPerRead)
			return err
		})
		if err != nil {
			return err
		}
		if len(keys) > 0 {
			if err := v.send(ctx, sets, sql.RowSet{Keys: keys}); err != nil {
				return err
			}
		}
		if next == nil {
			return nil
		}
		from = next
	}
}

func (v *Verifier) send(ctx context.Context, sets chan<- sql.RowSet, set sql.RowSet) error {
	switch {
	case v.pending.overflowed():
		return errOverflow
	case !v.isNeeded():
		return errNotNeeded
	}
	select {
	case sets <- set:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// compare reads a set of rows once. What differs is read again later.
func (v *Verifier) compare(ctx context.Context, current *pass, set sql.RowSet) error {
	var rows int64
	var took time.Duration
	var differing []row
	differs := false
	err := v.read(ctx, func(conn *gosql.Conn) error {
		started := time.Now()
		if len(set.Keys) > 0 {
			found, n, err := v.sessions.differing(ctx, both(conn), set)
			differing, rows, took = found, int64(n), time.Since(started)
			return err
		}
		original, ghost, err := v.sessions.totals(ctx, connection{conn}, set)
		differs, rows, took = original != ghost, original.rows, time.Since(started)
		return err
	})
	if err != nil {
		return err
	}
	v.pending.suspect(differing)
	if differs {
		v.addInUse(1)
		select {
		case v.ranges <- set:
		case <-ctx.Done():
			v.addInUse(-1)
			return ctx.Err()
		}
	}
	v.mutex.Lock()
	current.rows += rows
	v.mutex.Unlock()
	v.chunk.observe(rows, took)
	return pause(ctx, time.Duration(v.NiceRatio()*float64(took)))
}
