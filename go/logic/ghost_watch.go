package logic

import (
	"fmt"
	"regexp"
	"strings"
	"sync/atomic"

	"github.com/github/gh-ost/go/base"
	"github.com/github/gh-ost/go/binlog"
	"github.com/github/gh-ost/go/mysql"
	"github.com/github/gh-ost/go/sql"
)

// ownComment begins the comment that every statement of ours carries behind its verb.
const ownComment = "/* gh-ost"

// takesAway finds the words of definitions that may take rows or values from a table.
var takesAway = regexp.MustCompile(`(?i)\b(UNIQUE|PRIMARY|DROP|MODIFY|CHANGE|RENAME|CONVERT|PARTITION|PARTITIONING|TABLESPACE|PERIOD)\b`)

// ghostWatch makes sure that nobody empties the ghost table, or puts another one in its place, by a statement: what is gone
// from it never comes back with an event, and the swap would bring in a table without it. Row events of the ghost are no
// help, as most of them are the run's own; rows that somebody changes there are for --checksum.
//
// An ALTER that only adds is somebody's will, such as a hook's that adds a foreign key just before the swap: it is warned of.
// One that may take something away is not let pass: a dropped column loses its values, and under a new unique key each row
// that is applied would push another one out.
type ghostWatch struct {
	table atomic.Pointer[sql.TableName] // nil: not watched
}

// begin watches the table; from then on only statements with our comment may touch it.
func (w *ghostWatch) begin(table sql.TableName) { w.table.Store(&table) }

// end watches no more. It has to be called before the run itself drops the table, since the server logs a DROP in words of its own.
func (w *ghostWatch) end() { w.table.Store(nil) }

// look returns an error if the statement is somebody else's and takes rows, or the table itself.
func (w *ghostWatch) look(event *binlog.Event, names sql.NameCase, log base.Logger) error {
	table := w.table.Load()
	if table == nil || strings.Contains(event.Statement, ownComment) {
		return nil
	}
	verb, touches := sql.StatementTouches(event.Statement, event.Schema, *table, names)
	switch {
	case !touches:
		return nil
	case (verb == "ALTER TABLE" || verb == "CREATE INDEX") && !takesAway.MatchString(event.Statement):
		_ = log.Warningf("somebody ran %s on the ghost table %s (at %v): the new table will be as that makes it, and not only as --alter says",
			verb, *table, event.Coordinates)
		return nil
	}
	return &ChangedGhostError{Table: *table, Coordinates: event.Coordinates, Verb: verb}
}

// ChangedGhostError ends a migration whose ghost table somebody else has emptied, dropped, renamed, written to or altered in a way that may lose something.
type ChangedGhostError struct {
	Table       sql.TableName
	Coordinates mysql.BinlogCoordinates
	Verb        string // of the statement
}

func (e *ChangedGhostError) Error() string {
	return fmt.Sprintf("the ghost table %s was changed during the migration: somebody ran %s on it (at %v), which may have taken rows or values from it, or may yet. Nothing was swapped; start the migration again",
		e.Table, e.Verb, e.Coordinates)
}
