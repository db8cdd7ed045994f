package inspect

import (
	"fmt"
	"slices"
	"strings"

	"github.com/github/gh-ost/go/sql"
)

// ColumnsAgree compares a table as the inspected server has it, whose binary log is read, with the same table on the server
// that is changed. They must have the same columns in the same order, of types that mean the same.
func ColumnsAgree(inspected, applier *Table) error {
	here, there := inspected.Columns.Columns(), applier.Columns.Columns()
	if !slices.EqualFunc(here, there, func(a, b sql.Column) bool { return strings.EqualFold(a.Name, b.Name) }) {
		return fmt.Errorf("table %s is not the same on both servers: the inspected one has the columns %s, the one to change has %s. Was it altered on one of them? Make them equal first",
			inspected.Name, inspected.Columns, applier.Columns)
	}
	for i, column := range here {
		if other := there[i]; !sameMeaning(column, other) {
			return fmt.Errorf("table %s is not the same on both servers: column %s is %s on the inspected one, %s on the one to change. Make them equal first",
				inspected.Name, sql.EscapeName(column.Name), typeText(column), typeText(other))
		}
	}
	return nil
}

// sameMeaning tells whether values of one column can be taken for the other's. Versions differ in how they spell types.
func sameMeaning(a, b sql.Column) bool {
	if a.Type.Kind != b.Type.Kind || a.Type.Unsigned != b.Type.Unsigned || a.Type.Decimals != b.Type.Decimals || !slices.Equal(a.Type.Labels, b.Type.Labels) {
		return false
	}
	lengthMatters := !a.Type.IsInteger() && a.Type.Kind != sql.KindYear // there it is a display width
	if lengthMatters && a.Type.Length != b.Type.Length {
		return false
	}
	return charsetName(a.Charset) == charsetName(b.Charset) && a.Generation == b.Generation
}

func charsetName(name string) string {
	if name == "utf8" {
		return "utf8mb3"
	}
	return name
}

func typeText(column sql.Column) string {
	text := column.Type.Text
	if column.Charset != "" {
		text += " CHARACTER SET " + column.Charset
	}
	if column.IsGenerated() {
		text += " GENERATED"
	}
	return text
}
