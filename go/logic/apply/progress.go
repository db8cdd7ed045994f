package apply

import (
	"context"
	gosql "database/sql"
	"errors"
	"fmt"

	"github.com/github/gh-ost/go/binlog"
)

// Progress keeps how many row changes of the stream are applied, in the transaction that applies them: so a later run can go on
// exactly behind them.
type Progress interface {
	// Load reads the number that was stored last.
	Load(ctx context.Context, tx *gosql.Tx) (applied int64, err error)
	// Store stores it, and the keys of the rows that are owed.
	Store(ctx context.Context, tx *gosql.Tx, applied int64, owed []string) error
}

// Earlier is what an earlier run had applied from the same place in the stream on, as it was given to Progress.Store.
type Earlier struct {
	Applied int64
	Owed    []string // KeyStrings
}

// errOwedEarlier is why a row is owed that an earlier run could not write, until it has been tried again.
var errOwedEarlier = errors.New("the table did not take it")

// passOver returns the changes that no earlier run has applied. From the others it takes the rows that are owed.
func (w *Writer) passOver(changes []*binlog.RowChange) ([]*binlog.RowChange, error) {
	if w.passed >= w.Earlier.Applied {
		return changes, nil
	}
	if w.earlierOwed == nil {
		w.earlierOwed = map[string]debt{}
		for _, key := range w.Earlier.Owed {
			w.earlierOwed[key] = debt{err: errOwedEarlier}
		}
	}
	for len(changes) > 0 && w.passed < w.Earlier.Applied {
		if row := changes[0].After; row != nil {
			text, err := w.Statements.KeyString(row)
			if err != nil {
				return nil, err
			}
			if d, owed := w.earlierOwed[text]; owed {
				d.image = image{key: w.Statements.KeyValues(row), row: row}
				w.earlierOwed[text] = d
			}
		}
		changes = changes[1:]
		w.passed++
	}
	if w.passed < w.Earlier.Applied {
		return changes, nil
	}
	for text, d := range w.earlierOwed {
		if d.row == nil {
			return nil, fmt.Errorf("the binary log has no row for a key (%q) that an earlier run could not write", text)
		}
	}
	w.debts.store(w.earlierOwed)
	return changes, nil
}
