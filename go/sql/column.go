package sql

import "strings"

// Generation says whether a column's value is computed by the server, and when.
type Generation uint8

// The ways of generation: not at all, when read, when written.
const (
	NotGenerated Generation = iota
	VirtualGenerated
	StoredGenerated
)

// Column is one column of a table as information_schema describes it.
type Column struct {
	Name          string
	Type          ColumnType
	Charset       string // "" if the type has none
	Collation     string // "" if the type has none
	Nullable      bool
	Generation    Generation
	Invisible     bool
	AutoIncrement bool
	Ordinal       int // zero-based place in its table, which is the index of its value in a binlog row
}

// IsGenerated is true if the server computes the column; such a column is never written.
func (c Column) IsGenerated() bool {
	return c.Generation != NotGenerated
}

// PadsSpaces is true of text whose collation does not look at spaces at the end. It goes by the collation's name; the
// servers have it in information_schema.collations, MariaDB only lately.
func (c Column) PadsSpaces() bool {
	return c.Collation != "" && c.Collation != "binary" && !strings.Contains(c.Collation, "_0900_") && !strings.Contains(c.Collation, "nopad")
}

// ColumnList is an ordered list of columns with distinct names. It does not change once made; the zero value is empty.
type ColumnList struct {
	columns []Column
	byName  map[string]int // by the name in lower case
}

// NewColumnList returns a list of its own copy of the columns. If two columns share a name, Lookup finds the first.
func NewColumnList(columns []Column) *ColumnList {
	list := &ColumnList{columns: append([]Column(nil), columns...), byName: make(map[string]int, len(columns))}
	for i, column := range columns {
		name := strings.ToLower(column.Name)
		if _, taken := list.byName[name]; !taken {
			list.byName[name] = i
		}
	}
	return list
}

// Len returns the number of columns.
func (l *ColumnList) Len() int {
	return len(l.columns)
}

// Columns returns a copy of the list's columns, in order.
func (l *ColumnList) Columns() []Column {
	return append([]Column(nil), l.columns...)
}

// Names returns the columns' names, in order.
func (l *ColumnList) Names() []string {
	names := make([]string, len(l.columns))
	for i, column := range l.columns {
		names[i] = column.Name
	}
	return names
}

// Lookup finds a column by its name, ignoring case as servers do.
func (l *ColumnList) Lookup(name string) (Column, bool) {
	i, found := l.byName[strings.ToLower(name)]
	if !found {
		return Column{}, false
	}
	return l.columns[i], true
}

// String returns the names as a comma list, unescaped, for messages.
func (l *ColumnList) String() string {
	return strings.Join(l.Names(), ",")
}
