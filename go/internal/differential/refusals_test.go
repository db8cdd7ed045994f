package differential

import (
	"regexp"
	"strings"
)

// refusal is a reason for which a migration may fail where a native ALTER succeeds.
type refusal struct {
	name       string
	phrase     string         // of the error
	alter      *regexp.Regexp // that the ALTER matches as well; nil: any
	documented string         // where, and why it has to be
}

var newTimestamp = regexp.MustCompile(`timestamp(\(\d\))? NOT NULL`)

// refusals are all there are. They know the ALTER and the definitions, not the rows.
var refusals = []refusal{
	{"no shared key", "no shared unique key can be found", nil,
		"doc/compatibility.md, shared unique key: rows must be told apart in both tables by one key"},
	{"nullable shared key", "has nullable columns: NULL does not tell rows apart", nil,
		"doc/flags.md, allow-nullable-unique-key: the only shared key may hold NULL"},
	{"key loses precision", "by which different values may become one: rows could not be told apart", nil,
		"doc/engine.md, a unique key that only the new table has: the key that rows are told apart by loses precision"},
	{"computed by a zone that sets its clock, with a timestamp in the key", "by which rows cannot be told apart in a zone that sets its clock back", nil,
		"doc/engine.md, in which time zone are rows written"},
	{"zero in a new timestamp", "Incorrect datetime value: '0000-00-00 00:00:00' for column", newTimestamp,
		"doc/compatibility.md, new TIMESTAMP NOT NULL column: the sql_mode forbids what the native ALTER writes"},
	{"text without a number made BIT", "Truncated incorrect", regexp.MustCompile(`\bbit\(`),
		"doc/compatibility.md, text made BIT: the native ALTER of MySQL takes any TEXT or BLOB, as 0"},
	{"text without a number made DECIMAL", "Incorrect decimal value", regexp.MustCompile(`\bdecimal\b`),
		"doc/compatibility.md, values that a native ALTER bends: that of MySQL takes any TEXT, as 0"},
	{"NULL in a column that becomes AUTO_INCREMENT", "becomes AUTO_INCREMENT and is NULL in a row", nil,
		"doc/compatibility.md, NULL in a column that becomes AUTO_INCREMENT: the native ALTER numbers rows, once"},
	{"NULL in a timestamp", "cannot be null", newTimestamp,
		"doc/compatibility.md, NULL in a TIMESTAMP made NOT NULL: the native ALTER of MySQL invents the time of day"},
}

// passingMisfit is the reason of a migration that ended at a row which did not fit then, and is gone or was changed since:
// doc/engine.md, "the copy passes over rows that are there, and demotes no other error". It holds only if a native ALTER at
// some moment of the case would have failed as well, which is tried.
const passingMisfit = "a row that did not fit for a time"

func documentedRefusal(alter string, err error) (name string, found bool) {
	for _, r := range refusals {
		if strings.Contains(err.Error(), r.phrase) && (r.alter == nil || r.alter.MatchString(alter)) {
			return r.name, true
		}
	}
	return "", false
}
