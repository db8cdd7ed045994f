package sql

import "fmt"

// The statements of this file are for a ghost with columns of its own whose values must outlive changes to their rows.

// Update sets the columns that are carried over in the row with this key, as KeyValues returns it, to those of the row given,
// whose key may be another. Columns that only the ghost has keep their values.
func (s *ApplyStatements) Update(key, row []any) (query string, args []any, err error) {
	if err := s.checkKey(row); err != nil {
		return "", nil, fmt.Errorf("change a row of %s: %w", s.ghost, err)
	}
	var q statement
	q.write("UPDATE ", comment(s.ghost, ""), " ", quotedTable(s.ghost), " SET ")
	for i, column := range s.written {
		if i > 0 {
			q.write(", ")
		}
		q.write(column.target, " = ")
		value, err := column.value(row)
		if err == nil {
			err = column.binding.Append(&q.text, &q.args, value)
		}
		if err != nil {
			return "", nil, fmt.Errorf("change a row of %s: %w", s.ghost, err)
		}
	}
	q.write(" WHERE ")
	if err := s.appendKeyTerms(&q, [][]any{key}); err != nil {
		return "", nil, fmt.Errorf("change a row of %s: %w", s.ghost, err)
	}
	return q.finish()
}

// Exists counts the rows with this key.
func (s *ApplyStatements) Exists(key []any) (query string, args []any, err error) {
	var q statement
	q.write("SELECT ", comment(s.ghost, ""), " COUNT(*) FROM ", quotedTable(s.ghost), " WHERE ")
	if err := s.appendKeyTerms(&q, [][]any{key}); err != nil {
		return "", nil, fmt.Errorf("look for a row of %s: %w", s.ghost, err)
	}
	return q.finish()
}
