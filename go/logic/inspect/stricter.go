package inspect

import (
	"strings"

	"github.com/github/gh-ost/go/sql"
)

// findStricterKeys lists the ghost's unique keys that no unique key of the original implies. One implies another if it has
// none but the other's columns, tells values of them apart no more finely, and looks at no more of them.
func (c *comparison) findStricterKeys() {
	for _, index := range c.ghost.indexes {
		implied := false
		for _, source := range c.original.indexes {
			implied = implied || c.implies(source, index)
		}
		if !implied {
			c.shared.StricterGhostKeys = append(c.shared.StricterGhostKeys, c.ghost.describe(index))
		}
	}
}

func (c *comparison) implies(source, ghost index) bool {
	for _, part := range source.parts {
		if !c.isKept(part, ghost) {
			return false
		}
	}
	return true
}

// isKept tells whether values that differ in this part of an original's key differ in the ghost's index, too.
func (c *comparison) isKept(source indexPart, ghost index) bool {
	for _, part := range ghost.parts {
		if source.column == "" {
			if part.column == "" && c.sameExpression(source.expression, part.expression) {
				return true
			}
			continue
		}
		pair, found := c.pairOf(source.column)
		if !found || part.column == "" || !strings.EqualFold(part.column, pair.Target.Name) {
			continue
		}
		if c.keepsDistinct(pair) && indexesAsMuch(pair.Source, source.prefix, part.prefix) {
			return true
		}
	}
	return false
}

// indexesAsMuch tells whether a prefix in the ghost holds all that the original's index does. Zero is the whole column.
func indexesAsMuch(source sql.Column, sourcePrefix, ghostPrefix int) bool {
	if ghostPrefix == 0 {
		return true
	}
	if sourcePrefix == 0 {
		sourcePrefix = source.Type.Length // zero for a type without a length, which no prefix covers
	}
	return sourcePrefix > 0 && ghostPrefix >= sourcePrefix
}

// describe is an index as others know keys. Parts that are expressions are left out.
func (t *Table) describe(index index) *sql.UniqueKey {
	key := &sql.UniqueKey{Name: index.name, NameInGhostTable: index.name}
	var columns []sql.Column
	for _, part := range index.parts {
		if column, found := t.Columns.Lookup(part.column); found {
			columns = append(columns, column)
			key.HasNullable = key.HasNullable || column.Nullable
			key.HasPrefix = key.HasPrefix || part.prefix > 0
		}
	}
	key.Columns = *sql.NewColumnList(columns)
	key.IsAutoIncrement = len(columns) > 0 && columns[0].AutoIncrement
	return key
}
