package logic

import (
	"context"
	"crypto/rand"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/github/gh-ost/go/base"
	"github.com/github/gh-ost/go/binlog"
	"github.com/github/gh-ost/go/logic/apply"
	"github.com/github/gh-ost/go/mysql"
	"github.com/github/gh-ost/go/sql"
)

// EventsStreamer reads the binary log of the inspected server and passes on what the migration follows: row events of
// the original go to the backlog, states and heartbeats of the changelog travel through the same backlog, so that they
// take effect after everything before them has been applied.
type EventsStreamer struct {
	stream    *binlog.Stream
	original  sql.TableName
	changelog sql.TableName
	names     sql.NameCase // of the server whose binary log it is
	backlog   *apply.Backlog
	board     *tokenBoard
	beat      func(written time.Time)
	log       base.Logger

	ownMark   string       // see OwnMark
	columns   atomic.Int64 // number of columns of the original; 0: its events are not followed (yet, or any more)
	applied   atomic.Pointer[appliedPlace]
	texts     *textChanges   // nil: text that does not name the original is not looked at
	writes    clientWrites   // to the original
	begin     *followFrom    // nil unless the original is to be followed from a certain statement on
	proof     *resumeProof   // nil unless the stream goes on from a checkpoint
	oldTable  *oldTableWatch // nil unless a migration is reverted
	ghost     ghostWatch     // sees nothing until it is begun
	connected chan struct{}
	watch     atomic.Pointer[func(*binlog.Event) error] // told each row event of the original; nil: nobody is

	auditMutex sync.Mutex
	audit      *audit // nil unless a cut-over is under way
}

// appliedPlace is a place in the binary log up to which everything has been applied, and what the changelog was told behind
// it, which nobody else has ever written.
type appliedPlace struct {
	mysql.BinlogCoordinates
	mark string
}

// followFrom is the statement from which on the original is followed.
type followFrom struct {
	mark    string // in its text
	columns int    // of the original from then on
}

// NewEventsStreamer returns a streamer; Run starts it. Each heartbeat's time is told to beat once all earlier events
// are applied.
func NewEventsStreamer(settings binlog.Settings, original, changelog sql.TableName, names sql.NameCase, backlog *apply.Backlog, beat func(time.Time), log base.Logger) *EventsStreamer {
	s := &EventsStreamer{original: original, changelog: changelog, names: names, backlog: backlog, board: newTokenBoard(), beat: beat, log: log, ownMark: "own " + rand.Text(), connected: make(chan struct{})}
	settings.Follow = func(schema, table string) bool {
		// Events are read ahead: before the statement that the original is to be followed from has been handled.
		return s.isTable(schema, table, changelog) || s.isTable(schema, table, original) && (s.columns.Load() > 0 || s.begin != nil) ||
			!s.isProven() && s.isTable(schema, table, s.proof.table) || s.oldTable.isWatching(schema, table)
	}
	s.stream = binlog.NewStream(settings, log)
	return s
}

// isTable compares names as the server does that has logged them: it may keep two tables that differ by case only.
func (s *EventsStreamer) isTable(schema, table string, name sql.TableName) bool {
	return s.names.SameTable(sql.TableName{Schema: schema, Name: table}, name)
}

// Run reads from the given position until the context ends or the stream cannot go on.
func (s *EventsStreamer) Run(ctx context.Context, from mysql.BinlogCoordinates) error {
	return s.stream.Run(ctx, from, func() { close(s.connected) }, s.handle)
}

// Connected is closed when the server has begun to send: no later commit is missed.
func (s *EventsStreamer) Connected() <-chan struct{} { return s.connected }

// Coordinates is the position of the last event read.
func (s *EventsStreamer) Coordinates() mysql.BinlogCoordinates { return s.stream.Coordinates() }

// Follow begins to pass on the original's row events, which must have that many columns.
func (s *EventsStreamer) Follow(columns int) { s.columns.Store(int64(columns)) }

// FollowBehind begins to pass on the original's row events, which must have that many columns, when a statement that
// contains the mark has come by: what was before it is of no concern. It must be called before Run.
func (s *EventsStreamer) FollowBehind(mark string, columns int) { s.begin = &followFrom{mark, columns} }

// IsFollowing tells whether the original's row events are passed on.
func (s *EventsStreamer) IsFollowing() bool { return s.columns.Load() > 0 }

// appliedPlace is a place in the binary log up to which every transaction has been applied completely, as it was known at the
// last heartbeat or state; nil before the first. A stream that starts there misses nothing.
func (s *EventsStreamer) appliedPlace() *appliedPlace { return s.applied.Load() }

// beginBehind notes the place that the stream will begin at: up to there all has been applied. It must be called before Run.
func (s *EventsStreamer) beginBehind(checkpoint *Checkpoint) {
	s.applied.Store(&appliedPlace{checkpoint.LastTrxCoords, checkpoint.record.Mark})
}

// handled notes the place up to which everything has been handled, to be told as applied when a marker put now is reached.
// The mark is what was read behind that place.
func (s *EventsStreamer) handled(mark string) (reached func()) {
	at := &appliedPlace{s.stream.HandledTransaction(), mark}
	return func() { s.applied.Store(at) }
}

// Watch makes the stream tell watch each row event of the original before it is queued. An error ends the stream.
func (s *EventsStreamer) Watch(watch func(*binlog.Event) error) { s.watch.Store(&watch) }

// OwnMark is a text by which the stream knows, in a comment, statements of this run on the original: it passes over them.
func (s *EventsStreamer) OwnMark() string { return s.ownMark }

// Expect registers a token that will be written to the changelog as a state; see tokenBoard.
func (s *EventsStreamer) Expect(token string) (arrived <-chan struct{}, forget func()) {
	return s.board.expect(token)
}

func (s *EventsStreamer) handle(ctx context.Context, event *binlog.Event) error {
	switch {
	case event.Kind == binlog.Statement:
		return s.handleStatement(ctx, event)
	case s.isTable(event.Schema, event.Table, s.changelog):
		return s.handleChangelog(ctx, event)
	case s.isTable(event.Schema, event.Table, s.original):
		return s.handleOriginal(ctx, event)
	case s.proof != nil && s.isTable(event.Schema, event.Table, s.proof.table):
		s.proof.row(event)
	default:
		return s.oldTable.look(event)
	}
	return nil
}

func (s *EventsStreamer) handleOriginal(ctx context.Context, event *binlog.Event) error {
	columns := s.columns.Load()
	if columns == 0 {
		return nil
	}
	if int64(event.ColumnCount) != columns {
		return &ChangedTableError{Table: s.original, Coordinates: event.Coordinates,
			What: fmt.Sprintf("its rows have %d columns now instead of %d", event.ColumnCount, columns)}
	}
	s.writes.add(len(event.Rows))
	s.currentAudit().row(event)
	if watch := s.watch.Load(); watch != nil {
		if err := (*watch)(event); err != nil {
			return err
		}
	}
	return s.backlog.Put(ctx, event)
}

func (s *EventsStreamer) handleChangelog(ctx context.Context, event *binlog.Event) error {
	for _, row := range event.Rows {
		if len(row.After) <= changelogValueOrdinal {
			continue // a deleted row, or not a table of ours
		}
		hint, value := textOf(row.After[changelogHintOrdinal]), textOf(row.After[changelogValueOrdinal])
		mark := hint + " " + value
		s.proof.changelog(mark)
		switch hint {
		case heartbeatHint:
			written, err := time.Parse(time.RFC3339Nano, value)
			if err != nil {
				return fmt.Errorf("reading a heartbeat from the changelog: %w", err)
			}
			if s.columns.Load() == 0 {
				s.beat(written)
				continue
			}
			applied := s.handled(mark)
			s.backlog.PutHeartbeat(func() { applied(); s.beat(written) })
		case checksumHint:
			if err := s.backlog.PutMarker(ctx, func() { s.board.deliver(value) }); err != nil {
				return err
			}
		case stateHint:
			s.log.Infof("Intercepted changelog state %s", ReadChangelogState(value))
			if err := s.proof.state(value); err != nil {
				return err
			}
			s.currentAudit().token(value)
			s.oldTable.state(value)
			handled := func() {
				s.log.Infof("Handled changelog state %s", ReadChangelogState(value))
				s.board.deliver(value)
			}
			if s.columns.Load() == 0 { // nobody applies: nothing is queued that it could overtake
				handled()
				continue
			}
			applied := s.handled(mark)
			if err := s.backlog.PutMarker(ctx, func() { applied(); handled() }); err != nil {
				return err
			}
		}
	}
	return nil
}

func textOf(value any) string {
	switch v := value.(type) {
	case string:
		return v
	case []byte:
		return string(v)
	}
	return ""
}

// handleStatement looks for what row events do not tell. The RENAME of a cut-over ends the original's life under its
// name: what the stream says of that name from there on is about the new table.
func (s *EventsStreamer) handleStatement(ctx context.Context, event *binlog.Event) error {
	if s.currentAudit().statement(event, s.stream.HandledTransaction) {
		s.columns.Store(0)
		return nil
	}
	if s.begin != nil && strings.Contains(event.Statement, s.begin.mark) {
		s.Follow(s.begin.columns)
		s.oldTable.swapped()
		return nil
	}
	if s.columns.Load() == 0 || strings.Contains(event.Statement, s.ownMark) {
		return nil
	}
	if err := s.oldTable.look(event); err != nil {
		return err
	}
	if verb, touches := sql.StatementTouches(event.Statement, event.Schema, s.original, s.names); touches {
		return &ChangedTableError{Table: s.original, Coordinates: event.Coordinates,
			What: fmt.Sprintf("somebody ran %s on it, whose effect on rows the stream does not carry", verb)}
	}
	if err := s.ghost.look(event, s.names, s.log); err != nil {
		return err
	}
	what, err := s.texts.reach(ctx, event)
	if err == nil && what != "" {
		err = &ChangedTableError{Table: s.original, Coordinates: event.Coordinates, What: what}
	}
	return err
}

func (s *EventsStreamer) currentAudit() *audit {
	s.auditMutex.Lock()
	defer s.auditMutex.Unlock()
	return s.audit
}

// beginAudit makes the stream watch for writes to the original behind the token and up to the RENAME that carries the
// token in its text. Rows that are too late are named by keys.
func (s *EventsStreamer) beginAudit(token string, keys rowKeys) *audit {
	s.auditMutex.Lock()
	defer s.auditMutex.Unlock()
	s.audit = newAudit(token, keys)
	return s.audit
}

// endAudit stops watching.
func (s *EventsStreamer) endAudit() {
	s.auditMutex.Lock()
	defer s.auditMutex.Unlock()
	s.audit = nil
}

// ChangedTableError ends a migration whose original table was changed in a way that the stream does not carry.
type ChangedTableError struct {
	Table       sql.TableName
	Coordinates mysql.BinlogCoordinates
	What        string
}

func (e *ChangedTableError) Error() string {
	return fmt.Sprintf("the original table %s was changed during the migration: %s (at %v). Nothing was swapped; start the migration again",
		e.Table, e.What, e.Coordinates)
}
