package sql

import (
	"fmt"
	"slices"
)

// The statements of this file are for a ghost with columns of its own whose values must outlive changes to their rows. Keys are
// compared to the byte, as by DeleteExactly.

// Keeping returns these statements in a form by which a change of a row keeps the values of these columns of the ghost, although
// the server would set them: they are ON UPDATE CURRENT_TIMESTAMP.
func (s *ApplyStatements) Keeping(columns []string) *ApplyStatements {
	keeping := *s
	keeping.errors = errorValues{} // they are sent together: nobody counts the warnings of each
	for _, column := range columns {
		keeping.kept = append(keeping.kept, quoted(column))
	}
	return &keeping
}

// Update sets the columns that are carried over in the row with this key, as KeyValues returns it, to those of the row given,
// whose key may be another. Columns that only the ghost has keep their values.
func (s *ApplyStatements) Update(key, row []any) (query string, args []any, err error) {
	return s.change(s.written, key, row)
}

// Move gives the row with this key the key of the row given, and changes nothing else in it.
func (s *ApplyStatements) Move(key, row []any) (query string, args []any, err error) {
	return s.change(s.writtenKey(), key, row)
}

// writtenKey are the key's columns without those that the server computes.
func (s *ApplyStatements) writtenKey() (columns []boundColumn) {
	for _, column := range s.written {
		if slices.ContainsFunc(s.key, func(inKey boundColumn) bool { return inKey.ordinal == column.ordinal }) {
			columns = append(columns, column)
		}
	}
	return columns
}

func (s *ApplyStatements) change(columns []boundColumn, key, row []any) (query string, args []any, err error) {
	failed := func(err error) (string, []any, error) {
		return "", nil, fmt.Errorf("change a row of %s: %w", s.ghost, err)
	}
	if err := s.checkKey(row); err != nil {
		return failed(err)
	}
	var q statement
	q.write("UPDATE ", comment(s.ghost, ""), " ", quotedTable(s.ghost), " SET ")
	for i, column := range columns {
		if i > 0 {
			q.write(", ")
		}
		q.write(column.target, " = ")
		value, err := column.value(row)
		if err == nil {
			err = column.binding.Append(&q.text, &q.args, value)
		}
		if err != nil {
			return failed(err)
		}
	}
	for _, column := range s.kept {
		q.write(", ", column, " = ", column)
	}
	q.write(" WHERE ")
	if err := s.appendExactKey(&q, key); err != nil {
		return failed(err)
	}
	return q.finish()
}

// Exists counts the rows with this key.
func (s *ApplyStatements) Exists(key []any) (query string, args []any, err error) {
	var q statement
	q.write("SELECT ", comment(s.ghost, ""), " COUNT(*) FROM ", quotedTable(s.ghost), " WHERE ")
	if err := s.appendExactKey(&q, key); err != nil {
		return "", nil, fmt.Errorf("look for a row of %s: %w", s.ghost, err)
	}
	return q.finish()
}
