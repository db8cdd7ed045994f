package sql

import "strings"

// EscapeName returns the identifier in backquotes, with the backquotes inside it doubled. The name is taken as it is:
// text that already carries quotes is quoted once more.
func EscapeName(name string) string {
	return "`" + strings.ReplaceAll(name, "`", "``") + "`"
}

// TableName names one table on a server.
type TableName struct {
	Schema string
	Name   string
}

// String returns the name as SQL takes it: both parts escaped, joined by a dot.
func (t TableName) String() string {
	return EscapeName(t.Schema) + "." + EscapeName(t.Name)
}
