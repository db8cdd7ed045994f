package apply

import (
	"context"
	gosql "database/sql"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/github/gh-ost/go/binlog"
	"github.com/github/gh-ost/go/mysql"
)

// PreservingStatements are for a ghost table that has columns of its own, whose values no change of a row may take away. Keys
// are compared to the byte.
type PreservingStatements interface {
	// Insert writes rows, and is refused if one of them meets another in the ghost.
	Insert(rows [][]any) (query string, args []any, err error)
	// Update makes the row with the key that of the original, whose key may be another.
	Update(key, row []any) (query string, args []any, err error)
	// Move gives the row with the key that of the original's row, and no other value of it.
	Move(key, row []any) (query string, args []any, err error)
	// Exists counts the rows with the key.
	Exists(key []any) (query string, args []any, err error)
	// DeleteExactly deletes by keys.
	DeleteExactly(keys [][]any) (query string, args []any, err error)
}

// applyPreserving applies changes one by one, in their order, as a replica would: a row is updated where it stands, moved
// where its key changes, and never replaced, so that the ghost's own columns keep their values.
//
// A change may meet another row on a unique key that the original does not have, or have values that the ghost does not take.
// Then the row stands under its new key, and its other values are owed until they fit or until a later change of it takes their
// place, as in applyCarefully; what is owed in the end is a conflict that is real.
//
// A ghost that is ahead of the stream, because an earlier run has applied the same changes and more, takes them once more, and
// comes to the same end but for one thing: where rows have moved to keys that others had left, it cannot be told which row is
// which, and the ghost's own columns may get their defaults. With Settings.Progress that does not happen.
func (w *Writer) applyPreserving(ctx context.Context, entries []entry) error {
	started := time.Now()
	var changes []*binlog.RowChange
	for i := range entries {
		for j := range entries[i].event.Rows {
			changes = append(changes, &entries[i].event.Rows[j])
		}
	}
	all := int64(len(changes))
	changes, err := w.passOver(changes)
	if err != nil {
		return err
	}
	if w.passed < w.Earlier.Applied {
		w.Applied(all, 0, time.Since(started))
		return nil
	}
	var owed map[string]debt
	then := w.passed + int64(len(changes))
	err = w.repeat(ctx, nil, func() error {
		session, err := w.DB.Conn(ctx)
		if err != nil {
			return err
		}
		defer session.Close() // back to the pool
		tx, err := session.BeginTx(ctx, nil)
		if err != nil {
			return err
		}
		defer tx.Rollback() // after a commit it does nothing; after an error err is the one to tell
		if owed != nil && w.Progress != nil {
			if applied, err := w.Progress.Load(ctx, tx); err != nil || applied == then {
				return err // the commit whose answer was lost has taken effect
			}
		}
		p := preservation{Writer: w, session: session, tx: tx, owed: maps.Clone(w.debts.load())}
		if p.owed == nil {
			p.owed = map[string]debt{}
		}
		for share := range slices.Chunk(changes, rowsPerStatement) {
			if err := p.applyAll(ctx, share); err != nil {
				return fmt.Errorf("at about %v: %w", entries[0].event.Coordinates, err)
			}
		}
		if err := p.settle(ctx); err != nil {
			return err
		}
		if w.Progress != nil {
			if err := w.Progress.Store(ctx, tx, then, slices.Sorted(maps.Keys(p.owed))); err != nil {
				return err
			}
		}
		owed = p.owed
		return tx.Commit()
	})
	if err != nil {
		return err
	}
	w.passed = then
	w.debts.store(owed)
	if len(owed) > maxOwed {
		first := w.Conflicts()[0]
		return fmt.Errorf("the table does not take more than %d rows, the first by key is (%s): %w", maxOwed, first.Key, first.Err)
	}
	w.Applied(all, 0, time.Since(started))
	return nil
}

// preservation is one transaction of it.
type preservation struct {
	*Writer
	session *gosql.Conn // that the transaction is in
	tx      *gosql.Tx
	owed    map[string]debt
}

const savepoint = "gh_ost_share"

// applyAll applies changes in one request, as if each met what it expects. If one does not, all are taken back and applied one
// by one.
func (p *preservation) applyAll(ctx context.Context, changes []*binlog.RowChange) error {
	if len(p.owed) == 0 {
		if _, err := p.tx.ExecContext(ctx, "SAVEPOINT "+savepoint); err != nil {
			return err
		}
		met, err := p.applyAtOnce(ctx, changes)
		if met || err != nil && !mysql.IsDuplicateEntry(err) && !mysql.IsDataError(err) {
			return err
		}
		if _, err := p.tx.ExecContext(ctx, "ROLLBACK TO "+savepoint); err != nil {
			return err
		}
	}
	for _, change := range changes {
		if err := p.apply(ctx, change); err != nil {
			return err
		}
	}
	return nil
}

// applyAtOnce tells whether each change has met the row that it changes.
func (p *preservation) applyAtOnce(ctx context.Context, changes []*binlog.RowChange) (met bool, err error) {
	var text strings.Builder
	var args []any
	for _, change := range changes {
		query, values, err := p.statementFor(change)
		if err != nil {
			return false, err
		}
		text.WriteString(query)
		text.WriteByte(';')
		args = append(args, values...)
	}
	affected, err := mysql.ExecEach(ctx, p.session, text.String(), args)
	if err != nil {
		return false, err
	}
	for i, change := range changes {
		if i >= len(affected) || affected[i] != 1 && change.After != nil {
			return false, nil
		}
	}
	return true, nil
}

func (p *preservation) statementFor(change *binlog.RowChange) (query string, args []any, err error) {
	switch {
	case change.After == nil:
		return p.Preserving.DeleteExactly([][]any{p.Statements.KeyValues(change.Before)})
	case change.Before == nil:
		return p.Preserving.Insert([][]any{change.After})
	}
	return p.Preserving.Update(p.Statements.KeyValues(change.Before), change.After)
}

func (p *preservation) apply(ctx context.Context, change *binlog.RowChange) error {
	if change.After == nil {
		return p.remove(ctx, change.Before)
	}
	before := change.Before
	if before == nil {
		before = change.After
	}
	for _, row := range [][]any{before, change.After} {
		text, err := p.Statements.KeyString(row)
		if err != nil {
			return err
		}
		delete(p.owed, text)
	}
	return p.write(ctx, p.Statements.KeyValues(before), change.After)
}

func (p *preservation) remove(ctx context.Context, row []any) error {
	text, err := p.Statements.KeyString(row)
	if err != nil {
		return err
	}
	delete(p.owed, text)
	query, args, err := p.Preserving.DeleteExactly([][]any{p.Statements.KeyValues(row)})
	if err != nil {
		return err
	}
	_, err = p.tx.ExecContext(ctx, query, args...)
	return err
}

// write brings the row, which stands under the key from, to its new values. If it stands under its new key already, it is
// changed there; if it stands under neither, it is new. What is owed stands under its new key, if it stands at all.
func (p *preservation) write(ctx context.Context, from []any, row []any) error {
	key := p.Statements.KeyValues(row)
	changed, err := p.update(ctx, from, row)
	if changed || err != nil && !p.owes(err) {
		return p.refused(row, err)
	}
	conflict := err
	exists, err := p.exists(ctx, key)
	if err != nil {
		return err
	}
	switch {
	case exists:
		_, err = p.update(ctx, key, row)
	case conflict == nil:
		err = p.insert(ctx, row)
	default:
		if err := p.move(ctx, from, row); err != nil {
			return p.refused(row, err)
		}
		err = conflict
	}
	if p.owes(err) {
		text, keyErr := p.Statements.KeyString(row)
		if keyErr != nil {
			return keyErr
		}
		p.owed[text] = debt{image{key: key, row: row}, err}
		return nil
	}
	return p.refused(row, err)
}

// settle tries what is owed once more.
func (p *preservation) settle(ctx context.Context) error {
	owed := p.owed
	p.owed = map[string]debt{}
	for _, d := range owed {
		if err := p.write(ctx, d.key, d.row); err != nil {
			return err
		}
	}
	return nil
}

func (p *preservation) update(ctx context.Context, key, row []any) (changed bool, err error) {
	query, args, err := p.Preserving.Update(key, row)
	if err != nil {
		return false, err
	}
	result, err := p.tx.ExecContext(ctx, query, args...)
	if err != nil {
		return false, err
	}
	affected, err := result.RowsAffected()
	return affected > 0, err
}

// move gives the row its new key alone.
func (p *preservation) move(ctx context.Context, key, row []any) error {
	query, args, err := p.Preserving.Move(key, row)
	if err != nil {
		return err
	}
	_, err = p.tx.ExecContext(ctx, query, args...)
	return err
}

func (p *preservation) exists(ctx context.Context, key []any) (bool, error) {
	query, args, err := p.Preserving.Exists(key)
	if err != nil {
		return false, err
	}
	var count int
	err = p.tx.QueryRowContext(ctx, query, args...).Scan(&count)
	return count > 0, err
}

func (p *preservation) insert(ctx context.Context, row []any) error {
	query, args, err := p.Preserving.Insert([][]any{row})
	if err != nil {
		return err
	}
	_, err = p.tx.ExecContext(ctx, query, args...)
	return err
}

// refused names the row, if the server refuses it because of its values.
func (p *preservation) refused(row []any, err error) error {
	if err != nil && mysql.IsDataError(err) && !mysql.IsDuplicateEntry(err) {
		return &RefusedRowError{Key: p.keyOf(row), Err: err}
	}
	return err
}
