package verify

import (
	"fmt"
	"strings"

	"github.com/github/gh-ost/go/sql"
)

// maxReported bounds how many rows an error names.
const maxReported = 10

// DifferenceError says that the ghost table does not hold what the ALTER makes of the original. It ends the migration before
// anything is swapped.
type DifferenceError struct {
	Original, Ghost sql.TableName
	Rows            []Difference // ten at most
	More            int          // further rows
}

// Difference is one row that differs.
type Difference struct {
	Key     string   // for people, by the original's columns
	Columns []string // of the original, whose values differ in the ghost; empty if one table has no such row
	Missing bool     // the ghost has no such row
	Surplus bool     // the original has no such row
}

func (d Difference) String() string {
	switch {
	case d.Missing:
		return fmt.Sprintf("the row with (%s) is missing from the ghost table", d.Key)
	case d.Surplus:
		return fmt.Sprintf("the row with (%s) stands in the ghost table only", d.Key)
	}
	return fmt.Sprintf("the row with (%s) differs in: %s", d.Key, strings.Join(d.Columns, ", "))
}

func (e *DifferenceError) Error() string {
	texts := make([]string, len(e.Rows))
	for i, row := range e.Rows {
		texts[i] = row.String()
	}
	if e.More > 0 {
		texts = append(texts, fmt.Sprintf("and %d more", e.More))
	}
	return fmt.Sprintf("checksum: the ghost table %s is not what the ALTER makes of %s: %s. Nothing was swapped. Were rows changed with sql_log_bin=0, "+
		"or the ghost table by hand? Otherwise please report it, with the binary logs", e.Ghost, e.Original, strings.Join(texts, "; "))
}
