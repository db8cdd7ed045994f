package differential

import (
	"fmt"
	"slices"
	"strings"

	"pgregory.net/rapid"

	"github.com/github/gh-ost/go/internal/testserver"
	"github.com/github/gh-ost/go/sql"
)

// column is a column of the original, as CREATE TABLE has it.
type column struct {
	name       string
	kind       columnType
	charset    string
	notNull    bool
	defaults   string // a literal; empty: none is written
	generated  string // the expression and VIRTUAL or STORED; empty: an ordinary column
	autoNumber bool
}

// definition is what follows the column's name.
func (c column) definition() string {
	parts := []string{c.kind.text}
	if c.charset != "" {
		parts = append(parts, c.charset)
	}
	if c.generated != "" {
		return strings.Join(append(parts, c.generated), " ")
	}
	if c.notNull {
		parts = append(parts, "NOT NULL")
	} else {
		parts = append(parts, "NULL") // a TIMESTAMP would be NOT NULL else, under old settings
	}
	if c.defaults != "" {
		parts = append(parts, "DEFAULT "+c.defaults)
	}
	if c.autoNumber {
		parts = append(parts, "AUTO_INCREMENT")
	}
	return strings.Join(parts, " ")
}

func (c column) quoted() string { return sql.EscapeName(c.name) }

// key is an index.
type key struct {
	name    string // PRIMARY: the primary key
	unique  bool
	columns []string
	parts   string // the columns as SQL, with their prefixes
}

func (k key) definition() string {
	switch {
	case k.name == primary:
		return "PRIMARY KEY (" + k.parts + ")"
	case k.unique:
		return "UNIQUE KEY " + sql.EscapeName(k.name) + " (" + k.parts + ")"
	}
	return "KEY " + sql.EscapeName(k.name) + " (" + k.parts + ")"
}

const primary = "PRIMARY"

func newKey(name string, unique bool, columns []column) key {
	result := key{name: name, unique: unique}
	var parts []string
	for _, c := range columns {
		part := c.quoted()
		if c.kind.prefix {
			part += "(4)"
		}
		parts, result.columns = append(parts, part), append(result.columns, c.name)
	}
	result.parts = strings.Join(parts, ", ")
	return result
}

// table is a random original.
type table struct {
	columns []column
	keys    []key
	options string
}

var columnNames = []string{"id", "a", "b", "Name", "select", "ü x", "q`t", "c%d"}

func drawTable(t *rapid.T, flavor testserver.Flavor) table {
	var result table
	names := rapid.Permutation(columnNames).Draw(t, "names")
	count := rapid.IntRange(1, 6).Draw(t, "columns")
	for i := range count {
		wanted := anyType
		if i == 0 {
			wanted = columnType.isIndexable // so that there is a key
		}
		c := drawColumn(t, flavor, names[i], wanted)
		if i > 0 && oneIn(t, 6, "generated") {
			c = drawGenerated(t, names[i], result.columns)
		}
		result.columns = append(result.columns, c)
	}
	var ordinary []column
	for _, c := range result.columns {
		if c.generated == "" && c.kind.isIndexable() {
			ordinary = append(ordinary, c)
		}
	}
	main := newKey(rapid.SampledFrom([]string{primary, primary, primary, "main key"}).Draw(t, "key"), true, drawSome(t, ordinary, 3, "key columns"))
	for i := range result.columns {
		if c := &result.columns[i]; slices.Contains(main.columns, c.name) {
			c.notNull = true
			c.autoNumber = c.name == main.columns[0] && c.kind.family == integers && strings.Contains(c.kind.text, "int") && oneIn(t, 3, "auto_increment")
			if c.autoNumber || strings.EqualFold(c.defaults, "NULL") {
				c.defaults = ""
			}
		}
	}
	result.keys = append(result.keys, main)
	if oneIn(t, 3, "second unique key") {
		result.keys = append(result.keys, newKey("uk", true, drawSome(t, result.indexable(), 2, "unique columns")))
	}
	if oneIn(t, 3, "index") {
		result.keys = append(result.keys, newKey("ix", false, drawSome(t, result.indexable(), 2, "index columns")))
	}
	result.options = rapid.SampledFrom([]string{
		"CHARACTER SET utf8mb4", "CHARACTER SET utf8mb4 COLLATE utf8mb4_unicode_ci", "CHARACTER SET latin1", "CHARACTER SET utf8mb3",
	}).Draw(t, "table charset")
	return result
}

// indexable are the columns that an index can have, whole or by a prefix.
func (b table) indexable() (result []column) {
	for _, c := range b.columns {
		if c.kind.text != "json" && c.generated == "" {
			result = append(result, c)
		}
	}
	return result
}

func drawColumn(t *rapid.T, flavor testserver.Flavor, name string, wanted func(columnType) bool) column {
	c := column{name: name, kind: drawType(t, flavor, wanted)}
	c.charset = drawCharset(t, c.kind)
	c.notNull = rapid.Bool().Draw(t, "not null")
	if !c.kind.prefix && oneIn(t, 3, "default") {
		c.defaults = rapid.SampledFrom(c.kind.values).Draw(t, "default value")
		if strings.Contains(c.defaults, "(") {
			c.defaults = ""
		}
	}
	return c
}

// drawGenerated draws a column that is computed from another.
func drawGenerated(t *rapid.T, name string, from []column) column {
	base := rapid.SampledFrom(from).Draw(t, "generated from")
	c := column{name: name}
	if rapid.Bool().Draw(t, "generated text") {
		c.kind = columnType{text: "varchar(200)", family: texts, values: words}
		c.generated = fmt.Sprintf("GENERATED ALWAYS AS (hex(%s))", base.quoted())
	} else {
		c.kind = columnType{text: "bigint", family: integers, values: smallIntegers}
		c.generated = fmt.Sprintf("GENERATED ALWAYS AS (char_length(%s) + 1)", base.quoted())
	}
	c.generated += rapid.SampledFrom([]string{" STORED", " VIRTUAL"}).Draw(t, "kept")
	return c
}

func (b table) create() string {
	var parts []string
	for _, c := range b.columns {
		parts = append(parts, "  "+c.quoted()+" "+c.definition())
	}
	for _, k := range b.keys {
		parts = append(parts, "  "+k.definition())
	}
	return "CREATE TABLE t (\n" + strings.Join(parts, ",\n") + "\n) ENGINE=InnoDB " + b.options
}

// written are the columns that clients write.
func (b table) written() (result []column) {
	for _, c := range b.columns {
		if c.generated == "" {
			result = append(result, c)
		}
	}
	return result
}
