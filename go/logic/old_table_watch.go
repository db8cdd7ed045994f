package logic

import (
	"fmt"
	"sync/atomic"

	"github.com/github/gh-ost/go/binlog"
	"github.com/github/gh-ost/go/mysql"
	"github.com/github/gh-ost/go/sql"
)

// oldTableWatch makes sure that a revert gives back the old table as the migration has left it: whoever has written to it, or
// run a statement on it, since the swap has changed what no write to the new table will put right.
//
// A revert writes to the old table itself. Before it does, it writes the state Reverting into the changelog, which nobody else
// does: what stands in the binary log behind the first of them may be a revert's own, and counts no more. So the watch lasts
// from the swap to the first revert.
//
// It is used by the stream's goroutine, besides isWatching; a nil watch sees nothing.
type oldTableWatch struct {
	table sql.TableName
	names sql.NameCase
	begun bool        // the swap has come by
	ended atomic.Bool // the first revert's state has come by
}

// watchOldTable makes the stream fail if somebody has touched the old table since the statement from which on the original is
// followed. It must be called before Run.
func (s *EventsStreamer) watchOldTable(table sql.TableName) {
	s.oldTable = &oldTableWatch{table: table, names: s.names}
}

// isWatching tells whether row events of a table of that name are needed: events are read ahead.
func (w *oldTableWatch) isWatching(schema, table string) bool {
	return w != nil && !w.ended.Load() && w.isIt(schema, table)
}

func (w *oldTableWatch) isIt(schema, table string) bool {
	return w.names.SameTable(sql.TableName{Schema: schema, Name: table}, w.table)
}

// swapped begins the watch.
func (w *oldTableWatch) swapped() {
	if w != nil {
		w.begun = true
	}
}

// state ends the watch at the first sign of a revert.
func (w *oldTableWatch) state(value string) {
	if w != nil && w.begun && ReadChangelogState(value) == Reverting {
		w.ended.Store(true)
	}
}

// look returns an error if the event is about the old table while that is watched.
func (w *oldTableWatch) look(event *binlog.Event) error {
	if w == nil || !w.begun || w.ended.Load() {
		return nil
	}
	if event.Kind == binlog.Statement {
		if verb, touches := sql.StatementTouches(event.Statement, event.Schema, w.table, w.names); touches {
			return &TouchedOldTableError{Table: w.table, Coordinates: event.Coordinates, What: "ran " + verb + " on it"}
		}
		return nil
	}
	if !w.isIt(event.Schema, event.Table) || len(event.Rows) == 0 {
		return nil
	}
	return &TouchedOldTableError{Table: w.table, Coordinates: event.Coordinates,
		What: fmt.Sprintf("wrote to it (%v, %d row(s) in the first event)", event.Kind, len(event.Rows))}
}

// TouchedOldTableError ends a revert whose old table is not as the migration has left it.
type TouchedOldTableError struct {
	Table       sql.TableName
	Coordinates mysql.BinlogCoordinates // of the first change
	What        string                  // somebody did
}

func (e *TouchedOldTableError) Error() string {
	return fmt.Sprintf("--revert: the old table %s was changed since the migration swapped the tables: somebody %s (at %v in the binary log). It would not come back as it was, and what it lacks cannot be known from the new table's changes. Nothing was swapped. If the old structure is wanted all the same, migrate to it with --alter",
		e.Table, e.What, e.Coordinates.DisplayString())
}
