package apply

import (
	"context"
	gosql "database/sql"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/github/gh-ost/go/mysql"
)

// maxOwed is how many rows may be owed at a time. More are no passing conflicts.
const maxOwed = 1000

// CarefulStatements are for a ghost table with a unique key that rows of the original may break.
type CarefulStatements interface {
	// Insert writes rows, and is refused if one of them meets another in the ghost.
	Insert(rows [][]any) (query string, args []any, err error)
	// DeleteExactly deletes by keys, but no row whose key the ghost's collation merely takes for the same.
	DeleteExactly(keys [][]any) (query string, args []any, err error)
}

// Conflict is a row that the ghost table does not take, because it meets another there on a unique key, or for its values.
type Conflict struct {
	Key string // the values of the unique key that rows are told apart by
	Err error  // the server's, which names the key that was broken and the value, or the column
}

// careful are the statements for what is owed, or may be.
func (w *Writer) careful() CarefulStatements {
	if w.Careful != nil {
		return w.Careful
	}
	return w.Patient
}

// owes tells whether a row that was refused in this way is owed.
func (w *Writer) owes(err error) bool {
	return mysql.IsDuplicateEntry(err) || w.Patient != nil && mysql.IsDataError(err)
}

// debts are the rows that were refused by a unique key, or for their values, by KeyString: the ghost lacks them, and nothing else. They are
// read by others than the writer.
type debts struct {
	mutex sync.Mutex
	owed  map[string]debt
}

type debt struct {
	image
	err error
}

// Conflicts returns the rows that the ghost table owes as of now, in the order of their keys' texts; none unless
// Settings.Careful, Settings.Preserving or Settings.Patient is set.
func (w *Writer) Conflicts() []Conflict {
	w.debts.mutex.Lock()
	defer w.debts.mutex.Unlock()
	conflicts := make([]Conflict, 0, len(w.debts.owed))
	for _, d := range w.debts.owed {
		conflicts = append(conflicts, Conflict{Key: w.keyText(d.key), Err: d.err})
	}
	slices.SortFunc(conflicts, func(a, b Conflict) int {
		if a.Key < b.Key {
			return -1
		}
		return 1
	})
	return conflicts
}

func (d *debts) load() map[string]debt {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	return d.owed
}

func (d *debts) store(owed map[string]debt) {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	d.owed = owed
}

// applyCarefully applies a batch without ever pushing a row out. Each key of the batch is deleted and its last image
// inserted; an image that meets another row is owed, and is tried again with each batch until it fits, or until the stream
// brings a newer image of its key. So ghost and debts together are always what the stream has told, besides rows that the
// copy has brought from a later moment; and when nothing is queued and the copy is done, a debt is two rows of the
// original that the ghost's unique keys do not allow side by side.
func (w *Writer) applyCarefully(ctx context.Context, batch *Batch) error {
	images := slices.Clone(batch.images)
	for key, d := range w.debts.load() {
		if _, newer := batch.index[key]; !newer {
			images = append(images, d.image)
		}
	}
	var keys, rows [][]any
	for _, i := range images {
		keys = append(keys, i.key)
		if i.row != nil {
			rows = append(rows, i.row)
		}
	}
	deletes, err := w.split(keys, w.careful().DeleteExactly)
	if err != nil {
		return fmt.Errorf("preparing deletes in the ghost table: %w", err)
	}
	inserts, err := w.split(rows, w.careful().Insert)
	if err != nil {
		return fmt.Errorf("preparing changes for the ghost table: %w", err)
	}
	started := time.Now()
	var owed map[string]debt
	err = w.repeat(ctx, append(deletes, inserts...), func() (err error) {
		owed, err = w.carefulTransaction(ctx, deletes, inserts)
		return err
	})
	if err != nil {
		return err
	}
	w.debts.store(owed)
	if len(owed) > maxOwed {
		first := w.Conflicts()[0]
		return fmt.Errorf("the ghost table does not take more than %d rows of the original, the first by key is (%s): %w", maxOwed, first.Key, first.Err)
	}
	w.Applied(batch.Events(), batch.RowsDelta(), time.Since(started))
	return nil
}

func (w *Writer) carefulTransaction(ctx context.Context, deletes, inserts []statement) (map[string]debt, error) {
	tx, err := w.DB.BeginTx(ctx, nil)
	if err != nil {
		return nil, err
	}
	defer tx.Rollback() // after a commit it does nothing; after an error err is the one to tell
	for _, s := range deletes {
		if _, err := tx.ExecContext(ctx, s.query, s.args...); err != nil {
			return nil, err
		}
	}
	owed := map[string]debt{}
	for _, s := range inserts {
		err := w.send(ctx, tx, s.query, s.args, s.alone)
		if w.owes(err) {
			err = w.insertOneByOne(ctx, tx, s, owed)
		}
		if err != nil {
			return nil, err
		}
	}
	return owed, tx.Commit()
}

// insertOneByOne inserts the rows of a refused statement that can be, and notes the others.
func (w *Writer) insertOneByOne(ctx context.Context, tx *gosql.Tx, refused statement, owed map[string]debt) error {
	for i, row := range refused.alone {
		key := w.Statements.KeyValues(row)
		// An engine without transactions may have kept a part of the refused statement.
		remove, removeArgs, err := w.careful().DeleteExactly([][]any{key})
		if err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, remove, removeArgs...); err != nil {
			return err
		}
		query, args, err := refused.build(refused.alone[i : i+1])
		if err != nil {
			return err
		}
		err = w.send(ctx, tx, query, args, refused.alone[i:i+1])
		switch {
		case w.owes(err):
			text, keyErr := w.Statements.KeyString(row)
			if keyErr != nil {
				return keyErr
			}
			owed[text] = debt{image{key: key, row: row}, err}
		case err != nil:
			return err
		}
	}
	return nil
}
