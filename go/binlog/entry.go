package binlog

// entryKind is what an event of the log means for the order of things.
type entryKind uint8

const (
	entryNothing     entryKind = iota
	entryFormat                // a file's first event, sent at every start: the stream flows
	entryRotate                // the following events are in another file
	entryHeartbeat             // an idle server lives
	entryBetween               // belongs to no transaction and changes nothing
	entryTransaction           // a transaction begins, with its GTID if it has one
	entryBegin
	entryXAStart
	entryCommit
	entryRollback
	entrySavepoint
	entryRollbackTo
	entryXAPrepare
	entryXACommit
	entryXARollback
	entryStatement
	entryRows
)

// entry is one event of the log, decoded as far as is needed. Fields that a kind does not use are zero.
type entry struct {
	kind entryKind

	file string // entryRotate: the file and the place in it
	pos  int64

	gtid     gtid // entryTransaction: zero if GTIDs are off
	explicit bool // entryTransaction: a commit or rollback follows, without a BEGIN
	xa       bool // entryTransaction: its rows are prepared, not committed

	name     string // entrySavepoint, entryRollbackTo: the savepoint; entryXA…: the xid
	onePhase bool   // entryXAPrepare: it is a commit

	event       *Event // entryRows, entryStatement: without coordinates
	fingerprint uint32 // entryRows, entryStatement: of what the event says, whichever server sends it
}

// bytesPerValue is roughly what a decoded value takes beside its bytes: an interface, and an allocation.
const bytesPerValue = 24

// footprint estimates the memory of an event.
func footprint(event *Event) int64 {
	images := 1
	if event.Kind == Update {
		images = 2
	}
	return int64(event.Bytes) + int64(images*len(event.Rows)*event.ColumnCount)*bytesPerValue
}
