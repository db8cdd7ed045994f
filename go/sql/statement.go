package sql

import (
	"fmt"
	"strings"
)

// statement is SQL in the making. Parts that are fixed for a table (names, comments) come from its quoting methods, so that a
// question mark in them is not taken for a placeholder.
type statement struct {
	text strings.Builder
	args []any
}

// heldQuestionMark stands for a question mark within a name until the statement is finished. Names cannot contain it.
const heldQuestionMark = "\x00"

// quoted escapes a name for a statement.
func quoted(name string) string {
	return strings.ReplaceAll(EscapeName(name), "?", heldQuestionMark)
}

// quotedTable escapes a table's name for a statement.
func quotedTable(table TableName) string {
	return quoted(table.Schema) + "." + quoted(table.Name)
}

// comment is the mark that our statements carry after the verb. A name that would end the comment is broken up.
func comment(table TableName, suffix string) string {
	text := strings.ReplaceAll(fmt.Sprintf("gh-ost %s%s", table, suffix), "*/", "* /")
	return "/* " + strings.ReplaceAll(text, "?", heldQuestionMark) + " */"
}

func (s *statement) write(parts ...string) {
	for _, part := range parts {
		s.text.WriteString(part)
	}
}

// finish returns the text and its arguments. The driver counts question marks without regard to quotes; where a name has
// one, the statement goes out with its values written into it, and no arguments.
func (s *statement) finish() (query string, args []any, err error) {
	query = s.text.String()
	if !strings.Contains(query, heldQuestionMark) {
		return query, s.args, nil
	}
	var result strings.Builder
	next := 0
	for _, char := range []byte(query) {
		switch char {
		case heldQuestionMark[0]:
			result.WriteByte('?')
		case '?':
			text, err := literalOf(s.args[next])
			if err != nil {
				return "", nil, err
			}
			result.WriteString(text)
			next++
		default:
			result.WriteByte(char)
		}
	}
	return result.String(), nil, nil
}

// literalOf writes an argument into SQL in a form that no sql_mode and no character set reads differently. A string that
// follows an introducer may be in hexadecimal too.
func literalOf(argument any) (string, error) {
	switch argument := argument.(type) {
	case int64, uint64:
		return fmt.Sprint(argument), nil
	case string:
		return fmt.Sprintf("X'%X'", argument), nil
	case []byte:
		return fmt.Sprintf("X'%X'", argument), nil
	}
	return "", fmt.Errorf("no literal for an argument of type %T", argument)
}
