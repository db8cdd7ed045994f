package rowcopy

import (
	"context"
	gosql "database/sql"
	"errors"
	"fmt"

	"github.com/github/gh-ost/go/sql"
)

// Bounds are the lowest and the highest key of the original. Both are nil if the table is empty.
type Bounds struct {
	Min, Max sql.Bound
}

// IsEmpty tells whether there is nothing to copy.
func (b Bounds) IsEmpty() bool { return b.Min == nil || b.Max == nil }

// ReadBounds reads the lowest and the highest key in one transaction, so that both are of one state of the table.
func ReadBounds(ctx context.Context, db *gosql.DB, statements *sql.CopyStatements) (Bounds, error) {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return Bounds{}, fmt.Errorf("reading the range to copy: %w", err)
	}
	defer tx.Rollback() // it has only read
	var bounds Bounds
	if bounds.Min, err = readBound(ctx, tx, statements.MinBound(), nil); err != nil {
		return Bounds{}, fmt.Errorf("reading the lowest key to copy: %w", err)
	}
	if bounds.Max, err = readBound(ctx, tx, statements.MaxBound(), nil); err != nil {
		return Bounds{}, fmt.Errorf("reading the highest key to copy: %w", err)
	}
	return bounds, nil
}

type queryer interface {
	QueryContext(ctx context.Context, query string, args ...any) (*gosql.Rows, error)
}

// readBound reads one row of key values as raw bytes; nil if there is none.
func readBound(ctx context.Context, q queryer, query string, args []any) (sql.Bound, error) {
	bounds, err := readBounds(ctx, q, query, args)
	if err != nil || len(bounds) == 0 {
		return nil, err
	}
	return bounds[0], nil
}

// readBounds reads rows of key values as raw bytes.
func readBounds(ctx context.Context, q queryer, query string, args []any) ([]sql.Bound, error) {
	rows, err := q.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close() // rows.Err is what counts
	columns, err := rows.Columns()
	if err != nil {
		return nil, err
	}
	values := make([]gosql.RawBytes, len(columns))
	targets := make([]any, len(columns))
	for i := range values {
		targets[i] = &values[i]
	}
	var bounds []sql.Bound
	for rows.Next() {
		if err := rows.Scan(targets...); err != nil {
			return nil, err
		}
		bound := make(sql.Bound, len(columns))
		for i, value := range values {
			if value == nil {
				return nil, errNullInKey
			}
			bound[i] = append([]byte{}, value...)
		}
		bounds = append(bounds, bound)
	}
	return bounds, rows.Err()
}

var errNullInKey = errors.New("the unique key that rows are copied by holds NULL: such rows cannot be told apart; remove those rows or choose a key without NULL")

// walk produces the ranges from min to max, one after another.
type walk struct {
	db         *gosql.DB
	statements *sql.CopyStatements
	bounds     Bounds
	chunkSize  func() int64

	iteration int64
	from      sql.Bound
	include   bool
}

func newWalk(db *gosql.DB, statements *sql.CopyStatements, bounds Bounds, chunkSize func() int64) *walk {
	return &walk{db: db, statements: statements, bounds: bounds, chunkSize: chunkSize, from: bounds.Min, include: true}
}

// next returns the next range; ok is false when there is none left.
func (w *walk) next(ctx context.Context) (r Range, ok bool, err error) {
	if w.from == nil {
		return Range{}, false, nil
	}
	rows := w.chunkSize()
	query, args, err := w.statements.ChunkEnd(w.from, w.include, w.bounds.Max, rows, w.iteration)
	if err != nil {
		return Range{}, false, err
	}
	to, err := readBound(ctx, w.db, query, args)
	if err != nil {
		return Range{}, false, fmt.Errorf("reading the end of chunk %d: %w", w.iteration, err)
	}
	if to == nil {
		rows = 0
		if query, args, err = w.statements.LastBound(w.from, w.include, w.bounds.Max, w.iteration); err != nil {
			return Range{}, false, err
		}
		if to, err = readBound(ctx, w.db, query, args); err != nil {
			return Range{}, false, fmt.Errorf("reading the end of the last chunk: %w", err)
		}
	}
	if to == nil {
		w.from = nil
		return Range{}, false, nil
	}
	r = Range{Iteration: w.iteration, From: w.from, To: to, IncludeFrom: w.include, Rows: rows}
	w.from, w.include = to, false
	w.iteration++
	return r, true, nil
}
