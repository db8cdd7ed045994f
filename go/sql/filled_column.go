package sql

import (
	"fmt"
	"strings"
)

// FilledColumn is a column that only the ghost has, and whose value must be told. Most take no NULL and have no default: a
// native ALTER gives such a column its type's implicit default in every row, while an INSERT that leaves it out is refused in
// strict mode. See NewClockColumn for the others.
type FilledColumn struct {
	Name  string
	Value string // as an expression
}

// NewFilledColumn returns what a native ALTER would fill the column with, which must not be generated. ok is false for a
// type that has no implicit default; then the server refuses the column, also in the native ALTER of a table with rows.
func NewFilledColumn(column Column) (filled FilledColumn, ok bool) {
	var value string
	switch kind := column.Type.Kind; {
	case column.Type.IsInteger(), column.Type.IsFloat(), kind == KindDecimal, kind == KindBit, kind == KindYear:
		value = "0"
	case kind == KindEnum:
		value = "1" // the first label
	case column.Type.IsCharacter(), column.Type.IsBinary(), kind == KindSet:
		value = "''"
	case kind == KindDate:
		value = "'0000-00-00'" // unless the sql_mode forbids it, as it does to the native ALTER
	case kind == KindDateTime, kind == KindTimestamp:
		// Under NO_ZERO_DATE MySQL refuses this value for both, its native ALTER that of a DATETIME only. A zero that the
		// sql_mode forbids is not worth a looser one for all other columns.
		value = "'0000-00-00 00:00:00'"
	case kind == KindTime:
		value = "'00:00:00'"
	case kind == KindJSON:
		value = "'null'"
	case kind == KindInet:
		return filledAddress(column)
	default:
		return FilledColumn{}, false
	}
	return FilledColumn{Name: column.Name, Value: value}, true
}

// NewClockColumn fills a DATETIME whose default is the clock with the server's local time, in a session at +00:00.
func NewClockColumn(column Column, timeZones TimeZones) FilledColumn {
	value := fmt.Sprintf("CONVERT_TZ(CURRENT_TIMESTAMP(%d), '+00:00', %s)", column.Type.Decimals, textLiteral(timeZones.Server))
	return FilledColumn{Name: column.Name, Value: value}
}

// filledAddress returns the value of MariaDB's address types whose bytes are all zero.
func filledAddress(column Column) (filled FilledColumn, ok bool) {
	zeros := map[string]string{"inet4": "'0.0.0.0'", "inet6": "'::'", "uuid": "'00000000-0000-0000-0000-000000000000'"}
	value, ok := zeros[strings.ToLower(column.Type.Text)]
	return FilledColumn{Name: column.Name, Value: value}, ok
}

// appendFilled appends filled columns to the lists of an INSERT: their names, and their values.
func appendFilled(targets, sources string, filled []FilledColumn) (allTargets, allSources string) {
	for _, column := range filled {
		targets += ", " + quoted(column.Name)
		sources += ", " + column.Value
	}
	return targets, sources
}
