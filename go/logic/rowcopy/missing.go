package rowcopy

import (
	"context"
	gosql "database/sql"
	"fmt"

	"github.com/github/gh-ost/go/sql"
)

// Searcher looks for rows of the original that do not stand in the ghost, whatever the reason. All fields must be set.
type Searcher struct {
	// DB is the pool of copying sessions.
	DB *gosql.DB
	// Statements are those of the migrated table.
	Statements *sql.CopyStatements
	// Wait returns when reading is allowed: at once, or after throttling.
	Wait func(ctx context.Context) error
	// ChunkSize is the number of rows in a range.
	ChunkSize func() int64
}

// Search walks the original within the bounds, a range at a time, and returns the keys of up to limit missing rows.
func (s *Searcher) Search(ctx context.Context, bounds Bounds, limit int) ([]sql.Bound, error) {
	if bounds.IsEmpty() {
		return nil, nil
	}
	var missing []sql.Bound
	walk := newWalk(s.DB, s.Statements, bounds, s.ChunkSize)
	for len(missing) < limit {
		if err := s.Wait(ctx); err != nil {
			return nil, err
		}
		r, ok, err := walk.next(ctx)
		if err != nil {
			return nil, err
		}
		if !ok {
			break
		}
		found, err := s.read(ctx, r, limit-len(missing))
		if err != nil {
			return nil, err
		}
		missing = append(missing, found...)
	}
	return missing, nil
}

// IsMissing tells whether the original has the row of this key and the ghost has not.
func (s *Searcher) IsMissing(ctx context.Context, key sql.Bound) (bool, error) {
	found, err := s.read(ctx, Range{From: key, To: key, IncludeFrom: true}, 1)
	return len(found) > 0, err
}

func (s *Searcher) read(ctx context.Context, r Range, limit int) ([]sql.Bound, error) {
	query, args, err := s.Statements.Missing(r.From, r.IncludeFrom, r.To, limit)
	if err != nil {
		return nil, err
	}
	found, err := readBounds(ctx, s.DB, query, args)
	if err != nil {
		return nil, fmt.Errorf("looking for rows of range %s that the ghost table lacks: %w", r, err)
	}
	return found, nil
}
