package sql

import "strings"

// NameCase is how a server tells the names of schemas and tables apart. The zero value is that of lower_case_table_names = 0,
// where `t` and `T` are two tables.
type NameCase struct {
	Ignored bool
}

// Same tells whether two names mean the same schema, or the same table of one schema.
func (c NameCase) Same(name, other string) bool {
	return name == other || c.Ignored && strings.EqualFold(name, other)
}

// SameTable tells whether two names mean the same table.
func (c NameCase) SameTable(table, other TableName) bool {
	return c.Same(table.Schema, other.Schema) && c.Same(table.Name, other.Name)
}
