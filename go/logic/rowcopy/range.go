package rowcopy

import (
	"encoding/hex"
	"strings"
	"unicode/utf8"

	"github.com/github/gh-ost/go/sql"
)

// Range is a piece of the original table, by the unique key in use: from From (itself only if IncludeFrom) up to and
// including To.
type Range struct {
	Iteration   int64 // counts from 0
	From, To    sql.Bound
	IncludeFrom bool
	Rows        int64 // that it had when its end was read; 0 if not known
}

// String shows the bounds as logs do.
func (r Range) String() string {
	return "[" + FormatBound(r.From) + "]..[" + FormatBound(r.To) + "]"
}

// FormatBound shows the values of a bound; what is no text is shown in hex.
func FormatBound(bound sql.Bound) string {
	texts := make([]string, len(bound))
	for i, value := range bound {
		bytes, ok := value.([]byte)
		switch {
		case !ok:
			texts[i] = "NULL"
		case utf8.Valid(bytes):
			texts[i] = string(bytes)
		default:
			texts[i] = hex.EncodeToString(bytes)
		}
	}
	return strings.Join(texts, ",")
}
