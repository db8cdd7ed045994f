package verify

import (
	"context"
	gosql "database/sql"
	"time"

	"github.com/github/gh-ost/go/sql"
)

// rounds read again what differed or was changed, each round behind a token of its own.
func (v *Verifier) rounds(ctx context.Context) error {
	for {
		began := time.Now()
		ranges, items, err := v.gather(ctx)
		if err != nil {
			return err
		}
		if err := v.round(ctx, ranges, items); err != nil {
			return err
		}
		if len(items) < keysPerRound && len(ranges) < rangesPerRound {
			if err := pause(ctx, roundInterval-time.Since(began)); err != nil {
				return err
			}
		}
	}
}

// gather waits until there is something to read again.
func (v *Verifier) gather(ctx context.Context) (ranges []sql.RowSet, items []item, err error) {
	for {
		for len(ranges) < rangesPerRound && len(v.ranges) > 0 {
			ranges = append(ranges, <-v.ranges) // nobody else takes from it
		}
		items = v.pending.take(keysPerRound)
		if len(ranges)+len(items) > 0 {
			return ranges, items, nil
		}
		select {
		case r := <-v.ranges:
			ranges = append(ranges, r)
		case <-v.pending.added:
		case <-ctx.Done():
			return nil, nil, ctx.Err()
		}
	}
}

func (v *Verifier) round(ctx context.Context, ranges []sql.RowSet, items []item) error {
	defer v.addInUse(-len(ranges))
	if err := v.catchUp(ctx); err != nil {
		return err
	}
	var differing []row
	for _, set := range ranges {
		err := v.read(ctx, func(conn *gosql.Conn) error {
			found, _, err := v.sessions.differing(ctx, both(conn), set)
			differing = append(differing, found...)
			return err
		})
		if err != nil {
			return err
		}
	}
	v.pending.suspect(differing)
	for len(items) > 0 {
		n := min(len(items), keysPerRead)
		if err := v.settle(ctx, items[:n]); err != nil {
			return err
		}
		items = items[n:]
	}
	return nil
}

// catchUp waits until everything that is committed now has been applied.
func (v *Verifier) catchUp(ctx context.Context) error {
	if err := v.Wait(ctx); err != nil {
		return err
	}
	var arrived <-chan struct{}
	var forget func()
	err := v.retry(ctx, func() (err error) { arrived, forget, err = v.Token(ctx); return err })
	if err != nil {
		return err
	}
	defer forget()
	select {
	case <-arrived:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// settle reads rows again and takes in what they look like.
func (v *Verifier) settle(ctx context.Context, items []item) error {
	return v.read(ctx, func(conn *gosql.Conn) error {
		differing, err := v.readKeys(ctx, both(conn), items)
		if err != nil {
			return err
		}
		faults := v.pending.settle(items, differing, v.Patient())
		if len(faults) == 0 {
			return nil
		}
		difference, err := v.explain(ctx, both(conn), faults)
		if err != nil {
			return err
		}
		return difference
	})
}
