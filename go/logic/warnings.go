package logic

import (
	"strings"

	"github.com/github/gh-ost/go/mysql"
)

// Codes of warnings that say nothing of the data.
const (
	duplicateEntryWarning = 1062

	// These are about words of the statement itself, such as the name of a character set that stands before a value because
	// the column has it: the server will drop or rename it one day.
	deprecatedWarning        = 1287
	utf8AliasWarning         = 3719
	utf8AliasCollationNotice = 3778
)

// maxWarnings makes the server keep all warnings of a statement: beyond the session's limit it only counts them, and those
// about words come first.
const maxWarnings = "SET /* gh-ost */ SESSION max_error_count = 65535"

// warningPolicy tells which warnings end a migration with --panic-on-warnings: all but those about rows that the ghost
// table already has, by the key in use, and those about the statement's own words.
type warningPolicy struct {
	ghost string // the ghost table's name
	key   string // the name that the key in use has in it
}

// counting picks the warnings that count.
func (p warningPolicy) counting(warnings []mysql.Warning) []mysql.Warning {
	var counting []mysql.Warning
	for _, warning := range warnings {
		if !p.tolerates(warning) {
			counting = append(counting, warning)
		}
	}
	return counting
}

func (p warningPolicy) tolerates(warning mysql.Warning) bool {
	switch warning.Code {
	case deprecatedWarning, utf8AliasWarning, utf8AliasCollationNotice:
		return true
	case duplicateEntryWarning:
		// The value stands in the text as well, so only the text's end counts.
		return strings.HasPrefix(warning.Message, "Duplicate entry") &&
			(strings.HasSuffix(warning.Message, " for key '"+p.key+"'") || strings.HasSuffix(warning.Message, " for key '"+p.ghost+"."+p.key+"'"))
	}
	return false
}
