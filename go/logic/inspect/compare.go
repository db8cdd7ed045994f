package inspect

import (
	"fmt"
	"strings"

	"github.com/github/gh-ost/go/sql"
)

// Renames is what an ALTER does to columns. Names are compared ignoring case.
type Renames interface {
	RenamedColumn(column string) (newName string, renamed bool)
	IsDroppedColumn(column string) bool
}

// Shared is what an original and its ghost have in common.
type Shared struct {
	// Columns pairs the columns that both have, in the original's order. Those that the server computes are among them
	// only if they belong to Key; see sql.SharedColumn.IsWritten.
	Columns []sql.SharedColumn
	// Pairs are all columns that both have, those that the server computes too.
	Pairs []sql.SharedColumn
	// GhostsOwn are the names of the ghost's columns that hold values of their own: the original has no counterpart.
	GhostsOwn []string
	// Filled are the ghost's columns that get no value from the original and must have one.
	Filled []sql.FilledColumn
	// Key is the original's key by which rows are walked and told apart. Its NameInGhostTable is the ghost's key that
	// keeps them apart there.
	Key *sql.UniqueKey
	// StricterGhostKeys are the ghost's unique keys that may refuse rows which the original accepts. Name and
	// NameInGhostTable are the same, Columns are the ghost's; a part that is an expression is not among them.
	StricterGhostKeys []*sql.UniqueKey
	// Warnings are for people, one text each.
	Warnings []string
}

// Compare finds out what the original and its ghost share. A key that can hold NULL is chosen only if allowNullable is set.
func Compare(original, ghost *Table, alter Renames, allowNullable bool) (*Shared, error) {
	c := comparison{original: original, ghost: ghost, shared: &Shared{}}
	if err := c.pairColumns(alter); err != nil {
		return nil, err
	}
	if err := c.chooseKey(allowNullable); err != nil {
		return nil, err
	}
	c.findStricterKeys()
	c.shared.Filled = c.filled()
	c.shared.Pairs = c.pairs
	for _, column := range ghost.Columns.Columns() {
		if _, paired := c.pairTo(column.Name); !paired && !column.IsGenerated() {
			c.shared.GhostsOwn = append(c.shared.GhostsOwn, column.Name)
		}
	}
	for _, pair := range c.pairs {
		c.warnOfLabels(pair)
		_, inKey := c.shared.Key.Columns.Lookup(pair.Source.Name)
		if pair.IsWritten() || inKey {
			c.shared.Columns = append(c.shared.Columns, pair)
		}
	}
	return c.shared, nil
}

// comparison is a Compare under way.
type comparison struct {
	original, ghost *Table
	pairs           []sql.SharedColumn // generated ones too
	shared          *Shared
}

func (c *comparison) warn(format string, args ...any) {
	c.shared.Warnings = append(c.shared.Warnings, fmt.Sprintf(format, args...))
}

func (c *comparison) pairColumns(alter Renames) error {
	for _, source := range c.original.Columns.Columns() {
		if alter.IsDroppedColumn(source.Name) {
			continue
		}
		name, renamed := alter.RenamedColumn(source.Name)
		if !renamed {
			name = source.Name
		}
		target, found := c.ghost.Columns.Lookup(name)
		switch {
		case found:
			if !target.IsGenerated() {
				source.Generation = sql.NotGenerated // its values are carried over like any column's, as by a native ALTER
			}
			c.pairs = append(c.pairs, sql.SharedColumn{Source: source, Target: target})
		case renamed:
			return fmt.Errorf("the ALTER seems to rename column %s to %s, but the ghost table %s has no such column: write the rename as RENAME COLUMN old TO new",
				sql.EscapeName(source.Name), sql.EscapeName(name), c.ghost.Name)
		default:
			c.warn("column %s has no counterpart in the ghost table %s: its data is not carried over", sql.EscapeName(source.Name), c.ghost.Name)
		}
	}
	return nil
}

// warnOfLabels tells of labels that may not be what information_schema says: it shows a question mark for each character
// of four bytes.
func (c *comparison) warnOfLabels(pair sql.SharedColumn) {
	for _, side := range []sql.Column{pair.Source, pair.Target} {
		if strings.Contains(strings.Join(side.Type.Labels, ""), "?") {
			c.warn("the labels of column %s are %s: if a question mark there stands for a character that the server does not show, such as an emoji, and the ALTER changes the labels, do not go on",
				sql.EscapeName(side.Name), side.Type.Text)
			return
		}
	}
}

// filled are the columns that only the ghost has and that no default fills.
func (c *comparison) filled() (filled []sql.FilledColumn) {
	for _, column := range c.ghost.Columns.Columns() {
		if _, paired := c.pairTo(column.Name); paired || !c.ghost.lacksDefault(column) {
			continue
		}
		if fill, ok := sql.NewFilledColumn(column); ok {
			filled = append(filled, fill)
		}
	}
	return filled
}

func (c *comparison) pairOf(sourceName string) (sql.SharedColumn, bool) {
	for _, pair := range c.pairs {
		if strings.EqualFold(pair.Source.Name, sourceName) {
			return pair, true
		}
	}
	return sql.SharedColumn{}, false
}

func (c *comparison) pairTo(targetName string) (sql.SharedColumn, bool) {
	for _, pair := range c.pairs {
		if strings.EqualFold(pair.Target.Name, targetName) {
			return pair, true
		}
	}
	return sql.SharedColumn{}, false
}

// chooseKey takes the first of the original's keys that works.
func (c *comparison) chooseKey(allowNullable bool) error {
	reasons := append([]string(nil), c.original.unusable...)
	for _, candidate := range c.original.UniqueKeys {
		enforcedBy, reason := c.enforcing(candidate)
		if reason != "" {
			reasons = append(reasons, fmt.Sprintf("key %s %s", sql.EscapeName(candidate.Name), reason))
			continue
		}
		if candidate.HasNullable {
			if !allowNullable {
				return fmt.Errorf("the shared unique key %s of %s has nullable columns: NULL does not tell rows apart. Make them NOT NULL first, "+
					"or, if no row has NULL there and none will, say --allow-nullable-unique-key", sql.EscapeName(candidate.Name), c.original.Name)
			}
			c.warn("the chosen unique key %s has nullable columns: a row with NULL there would end the migration", sql.EscapeName(candidate.Name))
		}
		key := *candidate
		key.NameInGhostTable = enforcedBy
		c.shared.Key = &key
		return nil
	}
	return fmt.Errorf("no shared unique key can be found between %s and %s: %s. Some key of the original must stay one in the ghost, on the same columns or fewer; "+
		"to replace the last such key, add the new one in a migration of its own, first", c.original.Name, c.ghost.Name, strings.Join(reasons, "; "))
}

// enforcing returns the ghost's unique key that keeps apart the rows which the candidate keeps apart, or why there is none.
func (c *comparison) enforcing(candidate *sql.UniqueKey) (ghostKey, reason string) {
	targets := map[string]bool{}
	for _, column := range candidate.Columns.Columns() {
		pair, found := c.pairOf(column.Name)
		if !found {
			return "", fmt.Sprintf("loses its column %s", sql.EscapeName(column.Name))
		}
		for _, side := range []sql.Column{pair.Source, pair.Target} {
			if side.Type.Kind == sql.KindFloat || side.Type.Kind == sql.KindJSON {
				c.warn("unique key %s is not used: its column %s is %s, whose values cannot be told apart reliably",
					sql.EscapeName(candidate.Name), sql.EscapeName(side.Name), side.Type.Text)
				return "", fmt.Sprintf("has the column %s of type %s", sql.EscapeName(side.Name), side.Type.Text)
			}
		}
		if pair.Source.Type.Kind == sql.KindDateTime && pair.Target.Type.Kind == sql.KindTimestamp {
			return "", fmt.Sprintf("has the column %s: no support at this time for converting a key's column from DATETIME to TIMESTAMP", sql.EscapeName(column.Name))
		}
		if !c.sameValue(pair) {
			return "", fmt.Sprintf("has the column %s, which the ghost computes in another way", sql.EscapeName(column.Name))
		}
		targets[strings.ToLower(pair.Target.Name)] = true
	}
	best := -1
	for _, index := range c.ghost.indexes {
		if !index.isWithin(targets) {
			continue
		}
		fit := len(index.parts) * 2
		if index.name == candidate.Name {
			fit++
		}
		if fit > best {
			best, ghostKey = fit, index.name
		}
	}
	if ghostKey == "" {
		return "", "has no counterpart in the ghost: none of its unique keys is on these columns alone"
	}
	return ghostKey, ""
}

// isWithin tells whether the index has no part but these columns, which are in lower case.
func (i index) isWithin(columns map[string]bool) bool {
	for _, part := range i.parts {
		if !columns[strings.ToLower(part.column)] {
			return false
		}
	}
	return true
}
