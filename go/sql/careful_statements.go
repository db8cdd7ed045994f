package sql

import (
	"errors"
	"fmt"
)

// The statements of this file are for a ghost with a unique key that rows of the original may break. They push nothing out.

// Insert writes the rows as they are, and pushes nothing out of the way: a row that meets another on any unique key is the
// server's error. Otherwise it is as Replace.
func (s *ApplyStatements) Insert(rows [][]any) (query string, args []any, err error) {
	return s.write(s.insertHead, rows)
}

// DeleteExactly is Delete for a ghost whose collation may take for one what are two keys to the original: it removes only
// rows whose text is that of the key to the byte.
func (s *ApplyStatements) DeleteExactly(keys [][]any) (query string, args []any, err error) {
	if len(keys) == 0 {
		return "", nil, errors.New("no keys to delete")
	}
	var q statement
	q.write(s.deleteHead)
	for i, key := range keys {
		if i > 0 {
			q.write(" OR ")
		}
		if err := s.appendExactKey(&q, key); err != nil {
			return "", nil, fmt.Errorf("delete rows of %s: %w", s.ghost, err)
		}
	}
	return q.finish()
}

func (s *ApplyStatements) appendExactKey(q *statement, key []any) error {
	if len(key) != len(s.key) {
		return fmt.Errorf("a key has %d values, the unique key has %d columns", len(key), len(s.key))
	}
	for j, column := range s.key {
		separator := " AND "
		if j == 0 {
			separator = "("
		}
		q.write(separator, column.target, " = ")
		if err := column.binding.AppendComparable(&q.text, &q.args, key[j]); err != nil {
			return err
		}
		if column.exact == "" {
			continue
		}
		var text statement
		text.write("CONVERT(")
		if err := column.binding.AppendComparable(&text.text, &text.args, key[j]); err != nil {
			return err
		}
		text.write(" USING ", column.exact, ")")
		q.write(" AND CAST(", column.target, " AS BINARY) = CAST(", asStored(column.binding.target.Type, text.text.String()), " AS BINARY)")
		q.args = append(q.args, text.args...)
	}
	q.write(")")
	return nil
}
