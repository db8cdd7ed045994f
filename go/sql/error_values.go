package sql

import (
	"strings"
)

// errorValues says how rows are written that have an ENUM's value 0, where the server's strict mode takes no expression for
// it: outside strict mode, where each such value is good for one warning. The zero value is for servers that take one.
type errorValues struct {
	head    string        // of a statement outside strict mode; "" if none is needed
	columns []boundColumn // of the type ENUM, on both sides
}

// WriteErrorValuesLeniently prepares the statements for MariaDB, which has no way to write an ENUM's value 0 in strict mode. mode
// is the sessions' strict sql_mode. Statements that need it run in that mode without its strictness (IsLenient). Whoever
// sends one must hold it against ErrorValues.
func (s *ApplyStatements) WriteErrorValuesLeniently(mode string) {
	for _, column := range s.written {
		if column.source.Type.Kind == KindEnum && column.binding.target.Type.Kind == KindEnum {
			s.errors.columns = append(s.errors.columns, column)
		}
	}
	if len(s.errors.columns) > 0 {
		s.errors.head = "SET STATEMENT sql_mode = '" + withoutStrictness(mode) + "', max_error_count = 65535 FOR "
	}
}

// withoutStrictness removes the modes that make errors of warnings.
func withoutStrictness(mode string) string {
	var modes []string
	for _, name := range strings.Split(mode, ",") {
		switch name := strings.TrimSpace(name); strings.ToUpper(name) {
		case "", "STRICT_ALL_TABLES", "STRICT_TRANS_TABLES", "TRADITIONAL":
		default:
			modes = append(modes, name)
		}
	}
	return strings.Join(modes, ",")
}

// IsLenient tells whether a statement runs outside strict mode, so that the server bends what does not fit. It must have
// exactly as many warnings as its rows have ErrorValues.
func (s *ApplyStatements) IsLenient(query string) bool {
	return s.errors.head != "" && strings.HasPrefix(query, s.errors.head)
}

// ErrorValues counts the ENUMs with the value 0 in rows, of those that are an ENUM in the ghost as well.
func (s *ApplyStatements) ErrorValues(rows [][]any) (count int) {
	for _, row := range rows {
		for _, column := range s.errors.columns {
			value, err := column.value(row)
			if err != nil || value == nil {
				continue
			}
			if index, err := labelIndex(column.source.Type, value); err == nil && index == 0 {
				count++
			}
		}
	}
	return count
}
