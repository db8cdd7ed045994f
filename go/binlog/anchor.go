package binlog

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"

	gomysql "github.com/go-mysql-org/go-mysql/mysql"
	"github.com/go-mysql-org/go-mysql/replication"

	"github.com/github/gh-ost/go/mysql"
)

// anchor is the last transaction that was read whole. A connection that takes up where another was lost asks for it once
// more, and goes on only if it is as before: then all that was read is still in the log. Places alone do not show that. A
// log that was reset, or that has lost its end in a crash, grows beyond the place, and what stands before it has never been
// read.
type anchor struct {
	start  filePosition
	id     gtid
	before *gomysql.MariadbGTID // of id's domain; nil if there is none
	trace  trace
}

// trace is what is remembered of a transaction's events.
type trace struct {
	events int
	bytes  int
	sum    uint32
}

// maxAnchor is how large a transaction may be to be read twice, in bytes. Behind a larger one a heartbeat follows soon.
const maxAnchor = 16 << 20

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// add takes the next event as it stands in the log. What another server may write differently in the same transaction,
// such as positions and ids of tables, does not count; whoever reads by GTID may have been led to another server.
func (t *trace) add(raw []byte, byGTID bool) {
	t.events++
	t.bytes += len(raw)
	header := raw[:min(len(raw), 9)] // time, type, server
	t.sum = crc32.Update(t.sum, castagnoli, header)
	if len(raw) < replication.EventHeaderSize+8+4 {
		return
	}
	body := raw[replication.EventHeaderSize:]
	switch replication.EventType(raw[4]) {
	case replication.WRITE_ROWS_EVENTv0, replication.WRITE_ROWS_EVENTv1, replication.WRITE_ROWS_EVENTv2,
		replication.UPDATE_ROWS_EVENTv0, replication.UPDATE_ROWS_EVENTv1, replication.UPDATE_ROWS_EVENTv2,
		replication.DELETE_ROWS_EVENTv0, replication.DELETE_ROWS_EVENTv1, replication.DELETE_ROWS_EVENTv2,
		replication.PARTIAL_UPDATE_ROWS_EVENT:
		const tableAndFlags = 8
		body = body[tableAndFlags : len(body)-4] // there may be a checksum, of positions too
	case replication.GTID_EVENT:
		body = body[1:min(len(body), 1+16+8)] // behind flags: source and number
	case replication.MARIADB_GTID_EVENT:
		body = body[:8+4]
	case replication.XID_EVENT:
		if byGTID {
			return
		}
		body = body[:8]
	default:
		return
	}
	t.sum = crc32.Update(t.sum, castagnoli, binary.LittleEndian.AppendUint32(nil, uint32(len(body))))
	t.sum = crc32.Update(t.sum, castagnoli, body)
}

// isPartOfTransaction tells events that a transaction is made of from those between, some of which are made up by servers
// for each connection.
func isPartOfTransaction(event replication.EventType) bool {
	switch event {
	case replication.FORMAT_DESCRIPTION_EVENT, replication.ROTATE_EVENT, replication.STOP_EVENT, replication.INCIDENT_EVENT,
		replication.HEARTBEAT_EVENT, replication.HEARTBEAT_LOG_EVENT_V2, replication.PREVIOUS_GTIDS_EVENT,
		replication.MARIADB_GTID_LIST_EVENT, replication.MARIADB_BINLOG_CHECKPOINT_EVENT, replication.MARIADB_START_ENCRYPTION_EVENT,
		replication.IGNORABLE_EVENT, replication.ROWS_QUERY_EVENT, replication.MARIADB_ANNOTATE_ROWS_EVENT:
		return false
	}
	return true
}

// isUsable tells whether the transaction can be asked for.
func (a *anchor) isUsable(byGTID bool) bool {
	switch {
	case a == nil || a.trace.events == 0 || a.trace.bytes > maxAnchor:
		return false
	case !byGTID:
		return true
	}
	return a.before != nil || !a.id.isZero() && a.id.mariadb == nil
}

// behind gives the place from which the server sends the transaction and what follows it. read is what has been read, it
// included.
func (a *anchor) behind(read mysql.BinlogCoordinates) mysql.BinlogCoordinates {
	at, byGTID := read.(*mysql.GTIDBinlogCoordinates)
	if !byGTID {
		return mysql.NewFileBinlogCoordinates(a.start.file, a.start.end)
	}
	set := at.GTIDSet.Clone()
	switch set := set.(type) {
	case *gomysql.MysqlGTIDSet:
		intervals := (*set)[a.id.sid][a.id.tag]
		var left gomysql.IntervalSlice
		for _, interval := range intervals { // up to Stop, without it
			if a.id.gno < interval.Start || a.id.gno >= interval.Stop {
				left = append(left, interval)
				continue
			}
			for _, part := range []gomysql.Interval{{Start: interval.Start, Stop: a.id.gno}, {Start: a.id.gno + 1, Stop: interval.Stop}} {
				if part.Start < part.Stop {
					left = append(left, part)
				}
			}
		}
		(*set)[a.id.sid][a.id.tag] = left
		if len(left) == 0 {
			delete((*set)[a.id.sid], a.id.tag)
		}
		if len((*set)[a.id.sid]) == 0 {
			delete(*set, a.id.sid)
		}
	case *gomysql.MariadbGTIDSet:
		set.Sets[a.id.mariadb.DomainID] = a.before.Clone()
	}
	return &mysql.GTIDBinlogCoordinates{GTIDSet: set}
}

// remember makes the transaction that ends now the one to be asked for.
func (s *sequencer) remember() {
	id := s.place.current
	s.last = &anchor{start: s.trx.start, id: id, before: s.place.lastOf(id), trace: s.trace}
	s.trace = trace{}
}

// prove takes the events of the transaction that has been asked for again, as far as they have come. They are nothing new: a
// connection that brings no more is one more failure.
func (s *sequencer) prove() error {
	switch {
	case s.trace.events < s.proof.trace.events:
		return nil
	case s.trace != s.proof.trace:
		return &ForeignLogError{At: s.place.completedCoordinates()}
	}
	s.proof, s.trace = nil, trace{}
	return s.place.complete()
}

// from is where the next connection has to begin.
func (s *sequencer) from() mysql.BinlogCoordinates {
	if s.proof == nil {
		return s.place.completedCoordinates()
	}
	return s.proof.behind(s.place.completedCoordinates())
}

// ForeignLogError says that the log does not have any more what was read of it last: it was begun anew, or has lost its end
// in a crash, or another server answers now. What was written in the meantime cannot be known.
type ForeignLogError struct {
	At mysql.BinlogCoordinates
}

func (e *ForeignLogError) Error() string {
	return fmt.Sprintf("the binary log is not the one that was read so far: its last transaction before %s is not there any more. "+
		"The log was reset, or the server has lost its end in a crash, or another server answers now; changes may be missing, so this migration has to start anew", e.At.DisplayString())
}
