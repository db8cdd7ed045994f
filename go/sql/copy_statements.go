package sql

import (
	"errors"
	"fmt"
	"strings"
)

// Bound is one end of a range of rows: a value for each column of the unique key, as a range read returned it ([]byte in
// the column's own bytes, see Column.BoundExpression) or as int64, uint64, float64 or string. It holds no nil.
type Bound = []any

// CopyStatements builds the statements that walk over the original by its unique key and copy ranges of rows to the ghost.
// They are for sessions with interpolated parameters, `SET NAMES utf8mb4` and character_set_results = NULL; all of them in
// TimeZones.Session. It does not change once made.
type CopyStatements struct {
	original TableName
	key      *keyRange
	orderBy  string
	reverse  string
	bound    string // the key columns as a range read selects them
	from     string // FROM original FORCE INDEX (key)
	copyHead string // INSERT … SELECT … FROM …
	lockTail string // the lock clause
	noop     string // for rows that are there already
	missing  string // NOT EXISTS (the ghost's row of the same key)
}

// NewCopyStatements prepares the statements. shared are the columns to copy; those that a server computes are left out.
// lockClause is the dialect's way to lock the rows that are read, such as FOR SHARE; "" reads without locks, which is right
// only for engines that have none. Errors name what is missing: a key without columns, a key column that is not shared.
func NewCopyStatements(original, ghost TableName, shared []SharedColumn, key *UniqueKey, lockClause string, timeZones TimeZones, filled ...FilledColumn) (*CopyStatements, error) {
	columns := key.Columns.Columns()
	if len(columns) == 0 {
		return nil, fmt.Errorf("the unique key %s of %s has no columns", EscapeName(key.Name), original)
	}
	sources, targets, err := writtenColumns(original, shared, timeZones)
	if err != nil {
		return nil, err
	}
	targets, sources = appendFilled(targets, sources, filled)
	untouched, err := untouchedColumn(shared, key)
	if err != nil {
		return nil, err
	}
	keyRange, err := newKeyRange(columns)
	if err != nil {
		return nil, err
	}

	s := &CopyStatements{original: original, key: keyRange}
	ascending, descending, bounds := make([]string, len(columns)), make([]string, len(columns)), make([]string, len(columns))
	for i, column := range columns {
		ascending[i] = quoted(column.Name)
		descending[i] = quoted(column.Name) + " DESC"
		bounds[i] = strings.ReplaceAll(column.BoundExpression(), "?", heldQuestionMark)
	}
	s.orderBy = " ORDER BY " + strings.Join(ascending, ", ")
	s.reverse = " ORDER BY " + strings.Join(descending, ", ")
	s.bound = strings.Join(bounds, ", ")
	s.from = fmt.Sprintf(" FROM %s FORCE INDEX (%s)", quotedTable(original), quoted(key.Name))
	s.copyHead = fmt.Sprintf("INSERT %s INTO %s (%s) SELECT %s", comment(original, ""), quotedTable(ghost), targets, sources)
	if lockClause != "" {
		s.lockTail = " " + lockClause
	}
	if s.missing, err = missingCondition(original, ghost, shared, key, timeZones); err != nil {
		return nil, err
	}
	s.noop = fmt.Sprintf(" ON DUPLICATE KEY UPDATE %[1]s.%[2]s = %[1]s.%[2]s", quotedTable(ghost), quoted(untouched))
	return s, nil
}

// BoundExpression is how a range read selects the column so that its value can serve in a Bound, with the column's own name
// escaped. Labels are read as numbers: their order in an index is that of the numbers, and numbers tell the empty value that
// stands for an error from an empty label.
func (c Column) BoundExpression() string {
	if c.Type.Kind == KindEnum || c.Type.Kind == KindSet {
		return EscapeName(c.Name) + " + 0"
	}
	return EscapeName(c.Name)
}

// writtenColumns returns the lists of columns on both sides that carry values, in the same order.
func writtenColumns(original TableName, shared []SharedColumn, timeZones TimeZones) (sources, targets string, err error) {
	var from, to []string
	for _, column := range shared {
		if column.IsWritten() {
			expression, err := column.copyExpression(quoted(column.Source.Name), timeZones)
			if err != nil {
				return "", "", err
			}
			from = append(from, expression)
			to = append(to, quoted(column.Target.Name))
		}
	}
	if len(to) == 0 {
		return "", "", fmt.Errorf("the original %s and its ghost share no column that can be written", original)
	}
	return strings.Join(from, ", "), strings.Join(to, ", "), nil
}

// copyExpression is how the copy selects the column, whose escaped name is given. A number that becomes text goes through text
// on purpose: from a number, an INSERT makes other text than an ALTER does (it drops the zeros of ZEROFILL, of the year 0000 and
// of DOUBLE(10,2), shows all digits of a FLOAT), and MySQL's takes it as the index of an ENUM instead of its label. See bitFormat
// for BIT, numberAsDate for dates, zones for moments, storesUnchecked and refusesBlanks for strings with less room,
// alterConversion for the rest.
func (s SharedColumn) copyExpression(name string, timeZones TimeZones) (string, error) {
	source := s.Source.Type
	zones, err := newZones(s.Source, s.Target, timeZones)
	if err != nil {
		return "", err
	}
	native := alterConversion(source, s.Target.Type)
	if source.IsTemporal() {
		name = native.of(zones.copyExpression(source, s.Target.Type, name))
	} else {
		name = zones.copyExpression(source, s.Target.Type, native.of(numberAsDate(source, s.Target.Type, name)))
	}
	switch {
	case s.Target.Type.Kind == KindBit:
		return fmt.Sprintf(bitFormat(source, s.Target.Type), name), nil
	case (source.IsNumeric() || source.Kind == KindYear) && takesDigits(s.Target.Type):
		return numberAsLabel(source, s.Target.Type).of("CONCAT(" + name + ")"), nil
	case storesUnchecked(source, s.Target.Type):
		return "COALESCE(" + name + ")", nil
	case refusesBlanks(s.Source, s.Target):
		return withoutLostBlanks(name, s.Target.Type), nil
	}
	return name, nil
}

// untouchedColumn names the ghost's column that the no-op assigns to itself: the key's first that is not computed.
func untouchedColumn(shared []SharedColumn, key *UniqueKey) (string, error) {
	targets, err := keyTargets(shared, key)
	if err != nil {
		return "", err
	}
	for _, column := range append(targets, shared...) {
		if !column.Target.IsGenerated() {
			return column.Target.Name, nil
		}
	}
	return "", errors.New("all columns of the ghost table are generated")
}

// keyTargets pairs the key's columns with the ghost's.
func keyTargets(shared []SharedColumn, key *UniqueKey) ([]SharedColumn, error) {
	pairs := make([]SharedColumn, 0, key.Columns.Len())
	for _, column := range key.Columns.Columns() {
		pair, found := findShared(shared, column.Name)
		if !found {
			return nil, fmt.Errorf("column %s of the unique key %s is not in both tables; keep it, or choose another key", EscapeName(column.Name), EscapeName(key.Name))
		}
		pairs = append(pairs, pair)
	}
	return pairs, nil
}

func findShared(shared []SharedColumn, sourceName string) (SharedColumn, bool) {
	for _, column := range shared {
		if strings.EqualFold(column.Source.Name, sourceName) {
			return column, true
		}
	}
	return SharedColumn{}, false
}

// MinBound reads the first row's key, with the lock clause: a row whose insert or delete is not yet committed is waited
// for, since its event may have passed already, before anybody followed. No row comes back if the table is empty.
func (s *CopyStatements) MinBound() string {
	return s.edge(s.orderBy)
}

// MaxBound is MinBound for the last row.
func (s *CopyStatements) MaxBound() string {
	return s.edge(s.reverse)
}

func (s *CopyStatements) edge(order string) string {
	query, _, _ := finished("SELECT ", comment(s.original, ""), " ", s.bound, s.from, order, " LIMIT 1", s.lockTail)
	return query
}

func finished(parts ...string) (string, []any, error) {
	var s statement
	s.write(parts...)
	return s.finish()
}

// ChunkEnd reads the key of the row that ends a chunk of chunkSize rows, which begins behind from (or with it, if
// includeFrom) and does not go beyond max. No row comes back if fewer rows are left: then LastBound tells where they end.
func (s *CopyStatements) ChunkEnd(from Bound, includeFrom bool, max Bound, chunkSize, iteration int64) (query string, args []any, err error) {
	if chunkSize < 1 {
		return "", nil, fmt.Errorf("a chunk of %d rows has no end", chunkSize)
	}
	return s.rangeRead(from, includeFrom, max, iteration, s.orderBy+fmt.Sprintf(" LIMIT 1 OFFSET %d", chunkSize-1))
}

// LastBound reads the key of the last row behind from (or with it) that is not beyond max. No row means that none is left.
func (s *CopyStatements) LastBound(from Bound, includeFrom bool, max Bound, iteration int64) (query string, args []any, err error) {
	return s.rangeRead(from, includeFrom, max, iteration, s.reverse+" LIMIT 1")
}

func (s *CopyStatements) rangeRead(from Bound, includeFrom bool, max Bound, iteration int64, tail string) (string, []any, error) {
	var q statement
	q.write("SELECT ", comment(s.original, fmt.Sprintf(" iteration:%d", iteration)), " ", s.bound, s.from, " WHERE ")
	if err := s.key.appendRange(&q, from, includeFrom, max); err != nil {
		return "", nil, fmt.Errorf("range of %s: %w", s.original, err)
	}
	q.write(tail)
	return q.finish()
}

// InsertChunk copies the rows behind from (or with it) up to and with to. It locks them as the lock clause says, passes over
// rows whose unique values the ghost already holds, and takes no other error lightly.
func (s *CopyStatements) InsertChunk(from Bound, includeFrom bool, to Bound) (query string, args []any, err error) {
	var q statement
	q.write(s.copyHead, s.from, " WHERE ")
	if err := s.key.appendRange(&q, from, includeFrom, to); err != nil {
		return "", nil, fmt.Errorf("range of %s: %w", s.original, err)
	}
	q.write(s.lockTail)
	q.write(s.noop)
	return q.finish()
}
