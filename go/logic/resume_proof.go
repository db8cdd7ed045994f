package logic

import (
	"fmt"
	"sync/atomic"
	"time"

	"github.com/github/gh-ost/go/binlog"
	"github.com/github/gh-ost/go/mysql"
	"github.com/github/gh-ost/go/sql"
)

// resumeProof is how a run that goes on knows that what it reads is the binary log that its checkpoint is about. A place may
// be there and mean something else: the logs were reset and have grown since, the server was set up anew, or it has lost the
// end of its log in a crash. But the place is one behind which the changelog was told something at the time, the mark; and
// the checkpoint is itself a row that was written later. Both must come by before the first thing that this run writes.
// (The row alone would not do: a run that has not noticed a reset may write it into the new log.)
type resumeProof struct {
	table sql.TableName
	place mysql.BinlogCoordinates
	id    int64  // of the checkpoint
	mark  string // "": the checkpoint has none
	token string // of the state with which this run begins

	marked atomic.Bool // the mark has come by
	seen   atomic.Bool // the checkpoint has
}

// requireCheckpoint makes the stream fail at the proof's token, which is to be written as a state, unless the checkpoint that
// it begins behind has come by before. It must be called before Run.
func (s *EventsStreamer) requireCheckpoint(table sql.TableName, checkpoint *Checkpoint) {
	s.proof = &resumeProof{table: table, place: checkpoint.LastTrxCoords, id: checkpoint.Id, mark: checkpoint.record.Mark, token: newToken(Resumed, time.Now())}
}

// isProven tells whether the stream is known to read the binary log that it should.
func (s *EventsStreamer) isProven() bool { return s.proof == nil || s.proof.isComplete() }

func (p *resumeProof) isComplete() bool { return p.seen.Load() && (p.mark == "" || p.marked.Load()) }

// changelog looks whether what the changelog is told is the mark.
func (p *resumeProof) changelog(told string) {
	if p != nil && told == p.mark {
		p.marked.Store(true)
	}
}

// row looks whether an event of the checkpoint table has the checkpoint.
func (p *resumeProof) row(event *binlog.Event) {
	for _, row := range event.Rows {
		if row.Before == nil && len(row.After) > 0 && fmt.Sprint(row.After[0]) == fmt.Sprint(p.id) {
			p.seen.Store(true)
		}
	}
}

// state fails with a *ForeignCheckpointError if the run's first state comes before the checkpoint.
func (p *resumeProof) state(value string) error {
	if p == nil || value != p.token || p.isComplete() {
		return nil
	}
	return &ForeignCheckpointError{Table: p.table, ID: p.id, At: p.place}
}

// ForeignCheckpointError says that the binary log which is read is not the one that the checkpoint is about.
type ForeignCheckpointError struct {
	Table sql.TableName
	ID    int64
	At    mysql.BinlogCoordinates
}

func (e *ForeignCheckpointError) Error() string {
	return fmt.Sprintf("--resume: the binary log from %s on does not have what was written behind that place when checkpoint %d of %s was made: it is not the log that the checkpoint is about, but one that was begun anew (RESET), or has lost its end in a crash. What was written since cannot be known: %s",
		e.At.DisplayString(), e.ID, e.Table, startAnew)
}
