package sql

import (
	"fmt"
	"strings"
)

// keyWalk walks over one table by a key.
type keyWalk struct {
	table   TableName
	columns []Column // the key's
	bounds  string   // the key columns as a range read selects them
	from    string   // FROM table FORCE INDEX (key)
	orderBy string
	keys    *keyRange
}

// newKeyWalk prepares the walk by an index that has these columns or begins with them.
func newKeyWalk(table TableName, index string, walked []Column) (*keyWalk, error) {
	w := &keyWalk{table: table, columns: walked, bounds: boundList(walked),
		from: fmt.Sprintf(" FROM %s FORCE INDEX (%s)", quotedTable(table), quoted(index))}
	ascending := make([]string, len(walked))
	for i, column := range walked {
		ascending[i] = quoted(column.Name)
	}
	w.orderBy = " ORDER BY " + strings.Join(ascending, ", ")
	var err error
	w.keys, err = newKeyRange(walked)
	return w, err
}

// appendRange writes the condition for a range with ends that may be open.
func (w *keyWalk) appendRange(q *statement, from, to Bound) error {
	separator := " WHERE "
	for _, end := range []end{{operator: ">", bound: from}, {operator: "<", inclusive: true, bound: to}} {
		if end.bound == nil {
			continue
		}
		q.write(separator)
		if err := w.keys.appendEnd(q, end); err != nil {
			return err
		}
		separator = " AND "
	}
	return nil
}

// ChunkEnd reads the key of the row that ends a chunk of the original, which begins behind from, or at the table's beginning
// if from is nil. No row comes back if fewer rows are left.
func (s *VerifyStatements) ChunkEnd(from Bound, chunkSize int64) (query string, args []any, err error) {
	var q statement
	q.write("SELECT ", comment(s.originalTable, ""), " ", s.originalWalk.bounds, s.originalWalk.from)
	if err := s.originalWalk.appendRange(&q, from, nil); err != nil {
		return "", nil, err
	}
	q.write(s.originalWalk.orderBy, fmt.Sprintf(" LIMIT 1 OFFSET %d", chunkSize-1))
	return q.finish()
}

// OriginalKeys reads the keys of the next rows behind from, in the order of the original's key: each twice, as
// GhostKeys does.
func (s *VerifyStatements) OriginalKeys(from Bound, rows int64) (query string, args []any, err error) {
	return s.originalWalk.page(from, s.originalWalk.bounds, rows)
}

// GhostKeys reads the next rows of the ghost behind from, in the order of the ghost's key: the ghost's own key values, which
// are the next from, and behind them the original's.
func (s *VerifyStatements) GhostKeys(from Bound, rows int64) (query string, args []any, err error) {
	return s.ghostWalk.page(from, ghostKey(s.pairs), rows)
}

func (w *keyWalk) page(from Bound, key string, rows int64) (string, []any, error) {
	var q statement
	q.write("SELECT ", comment(w.table, ""), " ", w.bounds, ", ", key, w.from)
	if err := w.appendRange(&q, from, nil); err != nil {
		return "", nil, err
	}
	q.write(w.orderBy, fmt.Sprintf(" LIMIT %d", rows))
	return q.finish()
}

// GhostKeyColumns is the number of columns of the ghost's key.
func (s *VerifyStatements) GhostKeyColumns() int { return len(s.ghostWalk.columns) }

// OriginalKeyColumns is the number of columns of the original's key.
func (s *VerifyStatements) OriginalKeyColumns() int { return len(s.originalWalk.columns) }
