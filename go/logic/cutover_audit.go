package logic

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"github.com/github/gh-ost/go/binlog"
	"github.com/github/gh-ost/go/mysql"
)

// maxSlippedKept bounds how many slipped writes are kept for the report; all are counted.
const maxSlippedKept = 100

// audit checks after the swap what nobody else can: that between the token, behind which all of the original's writers
// were locked out, and the RENAME's own event no row event of the original stands in the binary log. One that does is
// a write that went to the old table after its events had been waited for.
// It is fed by the stream's goroutine; a nil audit ignores what it is fed.
type audit struct {
	mark string // the attempt's token, which its RENAME carries in a comment
	keys rowKeys

	mutex     sync.Mutex
	behind    bool // the token was seen
	slipped   []slippedWrite
	count     int
	renamedAt mysql.BinlogCoordinates
	before    mysql.BinlogCoordinates // up to which all is handled: from there on a stream comes to the RENAME
	renamed   chan struct{}           // closed when the RENAME's event was seen
}

// slippedWrite is a row event of the original that came too late.
type slippedWrite struct {
	Kind        binlog.Kind
	Row         binlog.RowChange
	Coordinates mysql.BinlogCoordinates
}

func newAudit(token string, keys rowKeys) *audit {
	return &audit{mark: token, keys: keys, renamed: make(chan struct{})}
}

func (a *audit) token(value string) {
	if a == nil || value != a.mark {
		return
	}
	a.mutex.Lock()
	defer a.mutex.Unlock()
	a.behind = true
}

func (a *audit) row(event *binlog.Event) {
	if a == nil {
		return
	}
	a.mutex.Lock()
	defer a.mutex.Unlock()
	if !a.behind {
		return
	}
	for _, row := range event.Rows {
		a.count++
		if len(a.slipped) < maxSlippedKept {
			a.slipped = append(a.slipped, slippedWrite{event.Kind, row, event.Coordinates})
		}
	}
}

// statement tells whether the event is the attempt's RENAME. handled is the place up to which the stream has been handled.
func (a *audit) statement(event *binlog.Event, handled func() mysql.BinlogCoordinates) bool {
	if a == nil || !strings.Contains(event.Statement, a.mark) {
		return false
	}
	a.mutex.Lock()
	defer a.mutex.Unlock()
	if a.renamedAt == nil {
		a.renamedAt, a.before = event.Coordinates, handled()
		close(a.renamed)
	}
	return true
}

// finish waits until the stream has come to the RENAME and returns an error if a write slipped through.
func (a *audit) finish(ctx context.Context) error {
	select {
	case <-a.renamed:
	case <-ctx.Done():
		return fmt.Errorf("the tables are swapped, but the stream was not read up to the RENAME, so nobody has checked that no write slipped through: %w", ctx.Err())
	}
	a.mutex.Lock()
	defer a.mutex.Unlock()
	if a.count == 0 {
		return nil
	}
	return &SlippedWritesError{Count: a.count, writes: a.slipped, RenamedAt: a.renamedAt, keys: a.keys}
}

// isFinished tells whether the stream has come to the RENAME.
func (a *audit) isFinished() bool {
	select {
	case <-a.renamed:
		return true
	default:
		return false
	}
}

// swappedBehind is a place in the binary log before the RENAME and behind all that was applied; nil while it was not seen.
func (a *audit) swappedBehind() mysql.BinlogCoordinates {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	return a.before
}

// rowKeys names rows for people.
type rowKeys interface {
	KeyValues(row []any) []any
}

// place tells which row a write was for, and where it stands in the binary log.
func (w slippedWrite) place(keys rowKeys) string {
	row := w.Row.After
	if row == nil {
		row = w.Row.Before
	}
	var values []string
	for _, value := range keys.KeyValues(row) {
		switch value := value.(type) {
		case []byte:
			values = append(values, fmt.Sprintf("%q", value))
		case string:
			values = append(values, fmt.Sprintf("%q", value))
		default:
			values = append(values, fmt.Sprint(value))
		}
	}
	return fmt.Sprintf("kind=%v coordinates=%s key=%s", w.Kind, w.Coordinates.DisplayString(), strings.Join(values, ","))
}

// lines tells each write that was kept, for people and scripts: name=value pairs behind a fixed beginning.
func (e *SlippedWritesError) lines() []string {
	var lines []string
	for _, write := range e.writes {
		lines = append(lines, "Cut-over audit: slipped-write "+write.place(e.keys))
	}
	return lines
}

// SlippedWritesError says that the tables were swapped although clients had written to the original after the last
// event that was applied: those writes stand in the old table and are missing from the new one.
type SlippedWritesError struct {
	Count     int
	RenamedAt mysql.BinlogCoordinates
	writes    []slippedWrite // the first of them, at least one
	keys      rowKeys
}

func (e *SlippedWritesError) Error() string {
	return fmt.Sprintf("the tables are swapped, but %d write(s) went to the old table behind the last applied event and before the RENAME at %v. They stand in the old table and are missing from the new one: compare the two and carry them over. The first of them: %s",
		e.Count, e.RenamedAt.DisplayString(), e.writes[0].place(e.keys))
}
