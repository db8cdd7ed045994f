package logic

import (
	"fmt"
	"sync/atomic"

	"github.com/github/gh-ost/go/binlog"
	"github.com/github/gh-ost/go/mysql"
	"github.com/github/gh-ost/go/sql"
)

// resumeProof is how a run that goes on knows that what it reads is the binary log that its checkpoint is about. A place may
// be there and mean something else: the logs were reset and have grown since, the server was set up anew, or it has lost the
// end of its log in a crash. But each checkpoint is itself a row that was written behind its place. So it must come by
// before the first thing that this run writes.
type resumeProof struct {
	table sql.TableName
	place mysql.BinlogCoordinates
	id    int64  // of the checkpoint
	token string // of the state with which this run begins

	seen    atomic.Bool
	refuted atomic.Bool
}

// requireCheckpoint makes the stream fail at the proof's token, which is to be written as a state, unless the checkpoint that
// it begins behind has come by before. It must be called before Run.
func (s *EventsStreamer) requireCheckpoint(table sql.TableName, checkpoint *Checkpoint) {
	s.proof = &resumeProof{table: table, place: checkpoint.LastTrxCoords, id: checkpoint.Id, token: newToken(Resumed, checkpoint.Timestamp)}
}

// isProven tells whether the stream is known to read the binary log that it should.
func (s *EventsStreamer) isProven() bool { return s.proof == nil || s.proof.seen.Load() }

// row looks whether an event of the checkpoint table has the checkpoint.
func (p *resumeProof) row(event *binlog.Event) {
	for _, row := range event.Rows {
		if row.Before == nil && len(row.After) > 0 && fmt.Sprint(row.After[0]) == fmt.Sprint(p.id) {
			p.seen.Store(true)
		}
	}
}

// state fails if the run's first state comes before the checkpoint.
func (p *resumeProof) state(value string) error {
	if p == nil || value != p.token || p.seen.Load() {
		return nil
	}
	p.refuted.Store(true)
	return fmt.Errorf("--resume: the binary log from %s on does not have checkpoint %d of %s, which was written behind that place: it is not the log that the checkpoint is about, but one that was begun anew (RESET), or has lost its end in a crash. What was written since cannot be known: %s",
		p.place.DisplayString(), p.id, p.table, startAnew)
}
