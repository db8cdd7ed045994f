package sql

import (
	"errors"
	"fmt"
	"strings"
)

// ApplyStatements builds the statements that bring changes from the binary log to the ghost table: whole rows are replaced,
// rows are deleted by the unique key. They are for sessions in TimeZones.Session with interpolated parameters and
// `SET NAMES utf8mb4`. It does not change once made.
//
// A row here is a row of the original as decoded from the binary log: all its columns, by their ordinals.
type ApplyStatements struct {
	ghost       TableName
	written     []boundColumn
	key         []boundColumn
	filled      string   // what ends each row: the values of filled columns
	kept        []string // the ghost's own columns that an update sets to themselves, escaped for a statement
	replaceHead string
	insertHead  string
	deleteHead  string
	errors      errorValues
}

type boundColumn struct {
	ordinal int
	source  Column
	target  string // the ghost's column, escaped for a statement
	binding *Binding
	exact   string // charset in which the ghost's column keeps text; "" if it keeps none
}

// NewApplyStatements prepares the statements. The key is the original's; its columns are mapped to the ghost's through
// shared, so it must contain them, also those that a server computes.
func NewApplyStatements(ghost TableName, shared []SharedColumn, key *UniqueKey, timeZones TimeZones, filled ...FilledColumn) (*ApplyStatements, error) {
	s := &ApplyStatements{ghost: ghost}
	for _, pair := range shared {
		if !pair.IsWritten() {
			continue
		}
		column, err := bindColumn(pair, timeZones)
		if err != nil {
			return nil, err
		}
		s.written = append(s.written, column)
	}
	_, targets, err := writtenColumns(ghost, shared, timeZones)
	if err != nil {
		return nil, err
	}
	targets, s.filled = appendFilled(targets, "", filled)
	pairs, err := keyTargets(shared, key)
	if err != nil {
		return nil, err
	}
	for _, pair := range pairs {
		column, err := bindColumn(pair, timeZones)
		if err != nil {
			return nil, err
		}
		s.key = append(s.key, column)
	}
	if len(s.key) == 0 {
		return nil, fmt.Errorf("the unique key %s has no columns", EscapeName(key.Name))
	}
	s.replaceHead = fmt.Sprintf("REPLACE %s INTO %s (%s) VALUES ", comment(ghost, ""), quotedTable(ghost), targets)
	s.insertHead = fmt.Sprintf("INSERT %s INTO %s (%s) VALUES ", comment(ghost, ""), quotedTable(ghost), targets)
	s.deleteHead = fmt.Sprintf("DELETE %s FROM %s WHERE ", comment(ghost, ""), quotedTable(ghost))
	return s, nil
}

func bindColumn(pair SharedColumn, timeZones TimeZones) (boundColumn, error) {
	binding, err := NewBinding(pair.Source, pair.Target, timeZones)
	if err != nil {
		return boundColumn{}, err
	}
	if pair.BecomesAutoIncrement() {
		binding.refuse = pair.refuseNull
	}
	column := boundColumn{ordinal: pair.Source.Ordinal, source: pair.Source, target: quoted(pair.Target.Name), binding: binding}
	if pair.Target.Type.IsCharacter() {
		column.exact = pair.Target.Charset
	}
	return column, nil
}

func (c boundColumn) value(row []any) (any, error) {
	if c.ordinal >= len(row) {
		return nil, fmt.Errorf("a row has %d columns, column %s is the number %d; was the original table altered?", len(row), EscapeName(c.source.Name), c.ordinal+1)
	}
	return row[c.ordinal], nil
}

// Replace writes the rows as they are, and removes what stands in their way on any unique key. It is an error if there is
// none, if one has NULL in a column of the key in use, or fewer columns than the original.
func (s *ApplyStatements) Replace(rows [][]any) (query string, args []any, err error) {
	return s.write(s.replaceHead, rows)
}

func (s *ApplyStatements) write(head string, rows [][]any) (query string, args []any, err error) {
	if len(rows) == 0 {
		return "", nil, errors.New("no rows to write")
	}
	var q statement
	q.args = make([]any, 0, len(rows)*len(s.written))
	if s.errors.head != "" && s.ErrorValues(rows) > 0 {
		q.write(s.errors.head)
	}
	q.write(head)
	for i, row := range rows {
		if i > 0 {
			q.write(", ")
		}
		if err := s.appendRow(&q, row); err != nil {
			return "", nil, fmt.Errorf("write a row of %s: %w", s.ghost, err)
		}
	}
	return q.finish()
}

func (s *ApplyStatements) appendRow(q *statement, row []any) error {
	if err := s.checkKey(row); err != nil {
		return err
	}
	for i, column := range s.written {
		separator := ", "
		if i == 0 {
			separator = "("
		}
		q.write(separator)
		value, err := column.value(row)
		if err != nil {
			return err
		}
		if err := column.binding.Append(&q.text, &q.args, value); err != nil {
			return err
		}
	}
	q.write(s.filled, ")")
	return nil
}

// checkKey refuses rows that the key does not tell apart.
func (s *ApplyStatements) checkKey(row []any) error {
	for _, column := range s.key {
		value, err := column.value(row)
		if err != nil {
			return err
		}
		if value == nil {
			return column.binding.nullError()
		}
	}
	return nil
}

// Delete removes the rows with these keys, each as KeyValues returns it. It is an error if there is none, or if one has NULL.
func (s *ApplyStatements) Delete(keys [][]any) (query string, args []any, err error) {
	if len(keys) == 0 {
		return "", nil, errors.New("no keys to delete")
	}
	var q statement
	q.args = make([]any, 0, len(keys)*len(s.key))
	q.write(s.deleteHead)
	if len(s.key) == 1 {
		err = s.appendKeyList(&q, keys)
	} else {
		err = s.appendKeyTerms(&q, keys)
	}
	if err != nil {
		return "", nil, fmt.Errorf("delete rows of %s: %w", s.ghost, err)
	}
	return q.finish()
}

func (s *ApplyStatements) appendKeyList(q *statement, keys [][]any) error {
	q.write(s.key[0].target, " IN (")
	for i, key := range keys {
		if err := s.checkLength(key); err != nil {
			return err
		}
		if i > 0 {
			q.write(", ")
		}
		if err := s.key[0].binding.AppendComparable(&q.text, &q.args, key[0]); err != nil {
			return err
		}
	}
	q.write(")")
	return nil
}

// appendKeyTerms finds each key by an AND of equalities. Servers without range access for row constructors, and those with
// a column in it that is compared with an expression, use the index for these terms.
func (s *ApplyStatements) appendKeyTerms(q *statement, keys [][]any) error {
	for i, key := range keys {
		if err := s.checkLength(key); err != nil {
			return err
		}
		if i > 0 {
			q.write(" OR ")
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
		}
		q.write(")")
	}
	return nil
}

func (s *ApplyStatements) checkLength(key []any) error {
	if len(key) != len(s.key) {
		return fmt.Errorf("a key has %d values, the unique key has %d columns", len(key), len(s.key))
	}
	return nil
}

// KeyValues returns the row's values of the key columns, in the key's order. A row that is too short gives nil in the place
// of what it lacks, which Delete refuses.
func (s *ApplyStatements) KeyValues(row []any) []any {
	values := make([]any, len(s.key))
	for i, column := range s.key {
		values[i], _ = column.value(row)
	}
	return values
}

// KeyString returns the row's key as bytes for use in maps: equal for equal values of the columns, different for different
// ones. Values that only a collation holds for equal, such as a and A, are different here: a row may be deleted under one
// spelling and inserted under another, so a batch must send its deletes before its replaces.
func (s *ApplyStatements) KeyString(row []any) (string, error) {
	if err := s.checkKey(row); err != nil {
		return "", err
	}
	var encoded strings.Builder
	for i, value := range s.KeyValues(row) {
		text, err := keyText(s.key[i].source.Type, value)
		if err != nil {
			return "", fmt.Errorf("value of column %s %s: %w", EscapeName(s.key[i].source.Name), s.key[i].source.Type.Text, err)
		}
		fmt.Fprintf(&encoded, "%d:", len(text))
		encoded.WriteString(text)
	}
	return encoded.String(), nil
}
