package sql

import (
	"errors"
	"fmt"
	"strings"
)

// VerifyStatements builds the statements that compare the original with its ghost: each row of both becomes a hash (SHA-256)
// of what a native ALTER makes of its values, and those of many rows become two sums that do not depend on their order.
//
// Where a column keeps its values, or only their character set changes, expressions tell that. Where the ALTER converts
// values, the original's rows are put into a temporary table with the ghost's column types, so that the server itself
// converts them, by the same expressions as in the copy; see NeedsTemporary.
//
// The statements are for sessions as those of CopyStatements. It does not change once made.
type VerifyStatements struct {
	originalTable, ghostTable, temporary TableName

	columns []verifiedColumn
	pairs   []SharedColumn // of the key
	key     *verifiedKey
	values  []string // how the copy selects each of the columns

	originalWalk, ghostWalk *keyWalk

	originalHash, ghostHash string
}

// NewVerifyStatements prepares the statements. shared and key are those of the copy. ghostKey is the ghost's key that keeps
// its rows apart, with its columns in their order; nil if it is none that can be walked. The temporary table is one session's, any
// name will do that no table has. An error means that this migration cannot be verified, and says why.
func NewVerifyStatements(original, ghost, temporary TableName, shared []SharedColumn, key, ghostKey *UniqueKey, timeZones TimeZones) (*VerifyStatements, error) {
	s := &VerifyStatements{originalTable: original, ghostTable: ghost, temporary: temporary,
		columns: verifiedColumns(shared, key)}
	var err error
	for _, column := range s.columns {
		value, err := column.pair.copyExpression(quoted(column.pair.Source.Name), timeZones)
		if err != nil {
			return nil, err
		}
		s.values = append(s.values, value)
	}
	if s.key, err = newVerifiedKey(shared, key, timeZones); err != nil {
		return nil, err
	}
	if s.pairs, err = keyTargets(shared, key); err != nil {
		return nil, err
	}
	for _, pair := range s.pairs {
		if timeZones.Local && pair.Source.Type.Kind == KindTimestamp {
			return nil, fmt.Errorf("column %s of the unique key %s is a TIMESTAMP, and the altered table computes values by the server's time zone: rows cannot be found by local time",
				EscapeName(pair.Source.Name), EscapeName(key.Name))
		}
	}
	if s.originalWalk, err = newKeyWalk(original, key.Name, key.Columns.Columns()); err != nil {
		return nil, err
	}
	if err := s.prepareGhost(ghostKey); err != nil {
		return nil, err
	}
	s.prepareHashes()
	return s, nil
}

// prepareGhost finds out whether ranges of the original's key are ranges of the ghost's.
func (s *VerifyStatements) prepareGhost(key *UniqueKey) error {
	if key == nil {
		return fmt.Errorf("the ghost table %s has no visible unique key on whole columns to be read by", s.ghostTable)
	}
	walked, targets := key.Columns.Columns(), make([]Column, len(s.pairs))
	for i, pair := range s.pairs {
		targets[i] = pair.Target
	}
	for i, column := range walked {
		s.key.ordered = s.key.ordered && i < len(targets) && strings.EqualFold(column.Name, targets[i].Name)
	}
	if s.key.ordered {
		walked = targets
	}
	var err error
	s.ghostWalk, err = newKeyWalk(s.ghostTable, key.Name, walked)
	return err
}

func (s *VerifyStatements) prepareHashes() {
	var own, converted, ghostOwn, ghostConverted []string
	for i, column := range s.columns {
		if column.converted {
			converted, ghostConverted = append(converted, column.ofOriginal(temporaryValue(i))), append(ghostConverted, column.ofGhost())
		} else {
			own, ghostOwn = append(own, column.ofOriginal("")), append(ghostOwn, column.ofGhost())
		}
	}
	s.ghostHash = rowHash(ghostOwn, ghostConverted)
	s.originalHash = rowHash(own, nil)
	if len(converted) > 0 {
		s.originalHash = hashOf(append([]string{temporaryHash}, converted...))
	}
}

// NeedsTemporary is true if the ALTER converts values in a way that only the server itself can tell. Then each session makes
// the temporary table once (CreateTemporary), and before each look at rows of the original it clears it (ClearTemporary)
// and fills it with them (FillTemporary).
func (s *VerifyStatements) NeedsTemporary() bool {
	for _, column := range s.columns {
		if column.converted {
			return true
		}
	}
	return false
}

// RangesAgree is true if a range of the original's key is one of the ghost's. If not, rows are compared key by key, and the
// ghost is walked too, for rows that only it has.
func (s *VerifyStatements) RangesAgree() bool { return s.key.ordered }

// The columns of the temporary table: the hash of the values that are not converted, the converted ones by their numbers,
// and the original's key.
const temporaryHash = "unconverted"

func temporaryValue(i int) string { return fmt.Sprintf("value%d", i) }
func temporaryKey(i int) string   { return fmt.Sprintf("key%d", i) }

// temporaryKeyColumns are the original's key columns as the temporary table has them.
func (s *VerifyStatements) temporaryKeyColumns() []Column {
	columns := make([]Column, len(s.key.columns))
	for i, column := range s.key.columns {
		columns[i] = column
		columns[i].Name = temporaryKey(i)
	}
	return columns
}

// CreateTemporary makes the temporary table. Types come from the ghost's columns by name, as nobody could write them better.
func (s *VerifyStatements) CreateTemporary() string {
	columns := []string{"CAST('' AS CHAR(64)) AS " + temporaryHash}
	for i, column := range s.columns {
		if column.converted {
			columns = append(columns, fmt.Sprintf("g.%s AS %s", quoted(column.pair.Target.Name), temporaryValue(i)))
		}
	}
	for i, column := range s.key.columns {
		columns = append(columns, fmt.Sprintf("o.%s AS %s", quoted(column.Name), temporaryKey(i)))
	}
	query, _, _ := finished("CREATE ", comment(s.originalTable, ""), " TEMPORARY TABLE ", quotedTable(s.temporary),
		" (number bigint unsigned NOT NULL AUTO_INCREMENT PRIMARY KEY) SELECT ", strings.Join(columns, ", "),
		" FROM ", quotedTable(s.ghostTable), " g, ", quotedTable(s.originalTable), " o LIMIT 0")
	return query
}

// ClearTemporary empties the temporary table. Deleted rows would stay until the server purges them, and would be passed over
// by each later look.
func (s *VerifyStatements) ClearTemporary() string {
	query, _, _ := finished("TRUNCATE ", comment(s.originalTable, ""), " TABLE ", quotedTable(s.temporary))
	return query
}

// FillTemporary puts the original's rows into the temporary table. A value that does not fit is the server's error, as it is
// in the copy.
func (s *VerifyStatements) FillTemporary(rows RowSet) (query string, args []any, err error) {
	targets, own, values := []string{temporaryHash}, []string{}, []string{""}
	for i, column := range s.columns {
		if column.converted {
			targets, values = append(targets, temporaryValue(i)), append(values, s.values[i])
		} else {
			own = append(own, column.ofOriginal(""))
		}
	}
	values[0] = hashOf(own)
	for i, column := range s.key.columns {
		targets, values = append(targets, temporaryKey(i)), append(values, quoted(column.Name))
	}
	var q statement
	q.write("INSERT ", comment(s.originalTable, ""), " INTO ", quotedTable(s.temporary), " (", strings.Join(targets, ", "), ") SELECT ", strings.Join(values, ", "))
	if err := s.appendRows(&q, ofOriginal, rows); err != nil {
		return "", nil, err
	}
	return q.finish()
}

// RowSet says which rows are looked at: those with one of Keys or, if it is empty, those behind From up to and with To, where
// nil is an open end. The values are the original's, from the binary log or from a read.
type RowSet struct {
	From, To Bound
	Keys     []Bound
}

type side uint8

const (
	ofOriginal side = iota
	ofGhost
)

// appendRows writes FROM and WHERE for rows of one of the two tables themselves.
func (s *VerifyStatements) appendRows(q *statement, side side, rows RowSet) error {
	walk, lookup, table := s.originalWalk, &s.key.original, s.originalTable
	if side == ofGhost {
		walk, lookup, table = s.ghostWalk, &s.key.ghost, s.ghostTable
	}
	var err error
	switch {
	case len(rows.Keys) == 0 && !s.key.ordered:
		err = errors.New("both tables have no ranges in common")
	case len(rows.Keys) == 0:
		q.write(walk.from)
		err = walk.appendRange(q, rows.From, rows.To)
	case len(lookup.key) == 1:
		q.write(" FROM ", quotedTable(table), " WHERE ")
		err = lookup.appendKeyList(q, rows.Keys)
	default:
		q.write(" FROM ", quotedTable(table), " WHERE ")
		err = lookup.appendKeyTerms(q, rows.Keys)
	}
	if err != nil {
		return fmt.Errorf("rows of %s: %w", table, err)
	}
	return nil
}

// appendSource writes FROM and WHERE for rows of one side, of which the original's may stand in the temporary table.
func (s *VerifyStatements) appendSource(q *statement, side side, rows RowSet) error {
	if side == ofOriginal && s.NeedsTemporary() {
		q.write(" FROM ", quotedTable(s.temporary))
		return nil
	}
	return s.appendRows(q, side, rows)
}

func (s *VerifyStatements) hash(side side) string {
	if side == ofGhost {
		return s.ghostHash
	}
	return s.originalHash
}

// Totals sums up both tables' rows of a range, in one statement and so, where the tables have transactions, of one moment.
// Two result rows come back, the original's first: its place (0, 1), the number of rows, the number of rows that could be
// hashed, and two sums over their hashes.
func (s *VerifyStatements) Totals(rows RowSet) (query string, args []any, err error) {
	var q statement
	for side := ofOriginal; side <= ofGhost; side++ {
		if side > ofOriginal {
			q.write(" UNION ALL ")
		}
		q.write("SELECT ", comment(s.originalTable, ""), fmt.Sprint(" ", side), " AS side, COUNT(*), COUNT(h)",
			", BIT_XOR(CAST(CONV(LEFT(h, 16), 16, 10) AS UNSIGNED)), BIT_XOR(CAST(CONV(SUBSTRING(h, 17, 16), 16, 10) AS UNSIGNED)) FROM (SELECT ", s.hash(side), " AS h")
		if err := s.appendSource(&q, side, rows); err != nil {
			return "", nil, err
		}
		q.write(" LIMIT 18446744073709551615) AS hashed") // the limit keeps the hash from being computed twice
	}
	q.write(" ORDER BY side")
	return q.finish()
}

// OriginalRows reads the original's key values and the hash of each of the rows.
func (s *VerifyStatements) OriginalRows(rows RowSet) (query string, args []any, err error) {
	return s.rows(ofOriginal, s.hash(ofOriginal), rows)
}

// GhostRows is OriginalRows for the ghost. A key that no row of the original can have shows NULL.
func (s *VerifyStatements) GhostRows(rows RowSet) (query string, args []any, err error) {
	return s.rows(ofGhost, s.hash(ofGhost), rows)
}

func (s *VerifyStatements) rows(side side, columns string, rows RowSet) (string, []any, error) {
	key := boundList(s.key.columns)
	switch {
	case side == ofGhost:
		key = ghostKey(s.pairs)
	case s.NeedsTemporary():
		key = boundList(s.temporaryKeyColumns())
	}
	var q statement
	q.write("SELECT ", comment(s.originalTable, ""), " ", key, ", ", columns)
	if err := s.appendSource(&q, side, rows); err != nil {
		return "", nil, err
	}
	return q.finish()
}

// Columns names the columns that OriginalValues and GhostValues read, as the original calls them: those that are not
// converted first.
func (s *VerifyStatements) Columns() []string {
	var names []string
	for _, group := range s.groups() {
		for _, column := range group {
			names = append(names, column.pair.Source.Name)
		}
	}
	return names
}

// groups splits the columns into those that are not converted and those that are.
func (s *VerifyStatements) groups() (groups [2][]verifiedColumn) {
	for _, column := range s.columns {
		if column.converted {
			groups[1] = append(groups[1], column)
		} else {
			groups[0] = append(groups[0], column)
		}
	}
	return groups
}

// OriginalValues reads what the rows' columns are compared by. With a temporary table it is two statements, whose columns
// together are those of Columns, and each has one column more at its end; else the second is empty.
func (s *VerifyStatements) OriginalValues(rows RowSet) (own string, ownArgs []any, converted string, err error) {
	var values, temporary []string
	for i, column := range s.columns {
		if column.converted {
			temporary = append(temporary, column.ofOriginal(temporaryValue(i)))
		} else {
			values = append(values, column.ofOriginal(""))
		}
	}
	var q statement
	q.write("SELECT ", comment(s.originalTable, ""), " ", strings.Join(append(values, "1"), ", "))
	if err := s.appendRows(&q, ofOriginal, rows); err != nil {
		return "", nil, "", err
	}
	if len(temporary) > 0 {
		converted, _, _ = finished("SELECT ", comment(s.originalTable, ""), " ", strings.Join(append(temporary, "1"), ", "), " FROM ", quotedTable(s.temporary))
	}
	own, ownArgs, err = q.finish()
	return own, ownArgs, converted, err
}

// GhostValues reads what the rows' columns are compared by.
func (s *VerifyStatements) GhostValues(rows RowSet) (query string, args []any, err error) {
	var values []string
	for _, group := range s.groups() {
		for _, column := range group {
			values = append(values, column.ofGhost())
		}
	}
	var q statement
	q.write("SELECT ", comment(s.originalTable, ""), " ", strings.Join(values, ", "))
	if err := s.appendRows(&q, ofGhost, rows); err != nil {
		return "", nil, err
	}
	return q.finish()
}
