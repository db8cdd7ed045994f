package binlog

import (
	"slices"
	"strconv"
)

// maxHeld is how much of a transaction is held back until its end, so that a rollback in the log can take it away
// again. A larger transaction is passed on as it comes from there on.
const maxHeld = 8 << 20

// sequencer knows transactions. It takes the entries of the log in order and passes on what is to be handled: events of
// committed transactions, once each even if the connection is lost in their middle. It does no I/O and knows no clock.
type sequencer struct {
	place *place
	out   func(item) error
	maxXA int64

	connected bool // the server has begun to send, some time
	flowing   bool // the current connection has
	advanced  bool // the current connection has brought something new

	open bool
	trx  transaction // valid while open

	// torn is the transaction in whose middle the connection was lost, if part of it had been passed on. The log has to
	// go on with it, and what was passed on is not passed on again.
	torn *tornTransaction

	trace trace   // of the events since the last whole transaction
	last  *anchor // nil: there is none yet in this file
	proof *anchor // that the current connection has to send first, as it was; nil: nothing has to be shown

	xa         map[string]preparedXA // by xid; those that wait for commit or rollback
	xaOrder    int                   // of the next
	xaBytes    int64                 // of their events and of those in a transaction being read
	withheld   []gtid                // on MariaDB: read while XA transactions waited, the last of each domain
	lastHanded progress
}

// transaction is the one being read.
type transaction struct {
	id       string // equal when the log sends it again
	gtid     gtid
	start    filePosition
	explicit bool // ends with a commit or rollback, not with its first statement
	xa       bool

	// Events are held until the end; once there are too many, they are passed on as they come.
	streaming  bool
	held       []heldEvent
	heldBytes  int64
	savepoints []savepoint

	passed int    // events passed on
	sum    uint32 // of their fingerprints
	toSkip int    // of those, that had been passed on before the connection was lost, still to come again
}

type heldEvent struct {
	event       *Event
	fingerprint uint32
}

// tornTransaction is what has to come again, to the letter.
type tornTransaction struct {
	id     string
	passed int
	sum    uint32
}

type filePosition struct {
	file string
	end  int64
}

type savepoint struct {
	name  string
	count int // of events before it
}

type preparedXA struct {
	order  int // by which the oldest is found
	start  filePosition
	gtid   gtid
	events []heldEvent
	bytes  int64
}

func newSequencer(at *place, maxXA int64, out func(item) error) *sequencer {
	return &sequencer{place: at, maxXA: maxXA, out: out, xa: map[string]preparedXA{}}
}

// restart begins a new connection, which sends from the last completely read transaction on.
func (s *sequencer) restart() {
	if s.open && s.trx.passed > 0 && s.trx.toSkip == 0 {
		s.torn = &tornTransaction{s.trx.id, s.trx.passed, s.trx.sum}
	}
	s.drop()
	s.place.abandon()
	s.trace, s.proof = trace{}, nil
	if s.last.isUsable(s.place.byGTID()) {
		s.proof = s.last
	}
	s.flowing, s.advanced = false, false
}

// take gets the next entry of the log.
func (s *sequencer) take(e entry) error {
	switch e.kind {
	case entryFormat:
		return s.takeFormat()
	case entryRotate:
		return s.takeRotate(e)
	case entryHeartbeat:
		s.advanced = s.advanced || s.flowing
		return nil
	case entryBetween:
		return s.takeBetween()
	case entryTransaction:
		if err := s.cutOff(); err != nil {
			return err
		}
		return s.begin(e)
	case entryBegin, entryXAStart:
		if !s.open {
			if err := s.begin(e); err != nil {
				return err
			}
		}
		s.trx.explicit, s.trx.xa = true, e.kind == entryXAStart
		return nil
	}
	if !s.open {
		if err := s.begin(entry{explicit: e.kind == entryRows}); err != nil {
			return err
		}
	}
	return s.takeInside(e)
}

// takeInside handles what belongs to a transaction.
func (s *sequencer) takeInside(e entry) error {
	switch e.kind {
	case entryRows:
		return s.add(e)
	case entryStatement:
		if err := s.add(e); err != nil || s.trx.explicit {
			return err
		}
		return s.commit()
	case entrySavepoint:
		s.trx.savepoints = append(s.trx.savepoints, savepoint{e.name, s.trx.passed + len(s.trx.held)})
		return nil
	case entryRollbackTo:
		return s.rollbackTo(e.name)
	case entryCommit:
		return s.commit()
	case entryRollback:
		if s.trx.passed > 0 {
			return &RolledBackError{At: s.place.coordinates()}
		}
		return s.end(nil)
	case entryXAPrepare:
		if e.onePhase {
			return s.commit()
		}
		return s.prepare(e.name)
	case entryXACommit:
		return s.commitXA(e.name)
	case entryXARollback:
		return s.rollbackXA(e.name)
	}
	return nil
}

func (s *sequencer) takeFormat() error {
	s.flowing = true
	if s.connected {
		return nil
	}
	s.connected = true
	return s.out(item{connected: true})
}

// takeRotate moves to another file. A transaction never spans two, so one that is open has been cut off by a crash.
func (s *sequencer) takeRotate(e entry) error {
	if err := s.cutOff(); err != nil {
		return err
	}
	if s.flowing && s.proof == nil {
		s.last = nil // it must not keep the server from purging the file behind us
	}
	s.trace = trace{}
	s.place.rotate(e.file, e.pos)
	return s.handOn(nil)
}

// takeBetween moves on over events that belong to no transaction, so that the place of a server that has been idle since
// is reached.
func (s *sequencer) takeBetween() error {
	if s.open || s.proof != nil {
		return nil
	}
	s.trace = trace{}
	if err := s.place.complete(); err != nil {
		return err
	}
	return s.handOn(nil)
}

// cutOff is called where no transaction can be open. If one is, the log lacks its end: a crash has taken it back. If
// nothing of it has been passed on, it never was.
func (s *sequencer) cutOff() error {
	if s.open && s.trx.passed > 0 {
		return &TornTransactionError{Transaction: s.trx.id, At: s.place.coordinates()}
	}
	s.drop()
	return nil
}

// drop forgets the transaction being read.
func (s *sequencer) drop() {
	if s.open && s.trx.xa {
		s.xaBytes -= s.trx.heldBytes
	}
	s.open, s.trx = false, transaction{}
}

func (s *sequencer) begin(e entry) error {
	s.drop()
	s.open = true
	start := filePosition{s.place.completedFile, s.place.completedEnd}
	s.trx = transaction{gtid: e.gtid, explicit: e.explicit, xa: e.xa, start: start}
	s.trx.id = e.gtid.String()
	if e.gtid.isZero() {
		s.trx.id = start.file + ":" + strconv.FormatInt(start.end, 10)
	}
	if s.torn != nil {
		if s.trx.id != s.torn.id {
			return &TornTransactionError{Transaction: s.torn.id, At: s.place.coordinates()}
		}
		s.trx.toSkip = s.torn.passed
	}
	return s.place.begin(e.gtid)
}

// add takes an event of the transaction being read.
func (s *sequencer) add(e entry) error {
	e.event.Coordinates = s.place.coordinates()
	event := heldEvent{e.event, e.fingerprint}
	if s.trx.streaming {
		return s.pass(event)
	}
	cost := footprint(e.event)
	s.trx.held = append(s.trx.held, event)
	s.trx.heldBytes += cost
	if s.trx.xa {
		if s.xaBytes += cost; s.xaBytes > s.maxXA {
			return &XATooLargeError{Limit: s.maxXA, At: s.place.coordinates()}
		}
		return nil
	}
	if s.trx.heldBytes > maxHeld {
		s.trx.streaming = true
		return s.passHeld()
	}
	return nil
}

// pass passes on an event, or sees that it is the one that was passed on before the connection was lost: the same
// entries lead to the same sequence of events.
func (s *sequencer) pass(held heldEvent) error {
	s.trx.passed++
	s.trx.sum = mix(s.trx.sum, held.fingerprint)
	if s.trx.toSkip == 0 {
		s.advanced = true
		return s.out(item{event: held.event})
	}
	if s.trx.toSkip--; s.trx.toSkip > 0 {
		return nil
	}
	if s.trx.sum != s.torn.sum {
		return &TornTransactionError{Transaction: s.trx.id, At: s.place.coordinates()}
	}
	s.torn = nil
	return nil
}

// mix continues a sum over fingerprints, sensitive to their order.
func mix(sum, fingerprint uint32) uint32 {
	return (sum<<7|sum>>25)*0x9e3779b1 + fingerprint
}

func (s *sequencer) passHeld() error {
	for _, held := range s.trx.held {
		if err := s.pass(held); err != nil {
			return err
		}
	}
	s.trx.held, s.trx.heldBytes = nil, 0
	return nil
}

// rollbackTo takes away what came after a savepoint. Servers log rows and then their rollback when the transaction has
// also written to tables that cannot be rolled back.
func (s *sequencer) rollbackTo(name string) error {
	count := s.trx.passed + len(s.trx.held)
	index := -1
	for i, savepoint := range s.trx.savepoints {
		if savepoint.name == name {
			index = i // the latest of that name counts
		}
	}
	if index < 0 {
		if count == 0 {
			return nil
		}
		return &RolledBackError{At: s.place.coordinates()}
	}
	keep := s.trx.savepoints[index].count
	s.trx.savepoints = s.trx.savepoints[:index+1]
	if keep < s.trx.passed {
		return &RolledBackError{At: s.place.coordinates()}
	}
	for _, held := range s.trx.held[keep-s.trx.passed:] {
		s.trx.heldBytes -= footprint(held.event)
		if s.trx.xa {
			s.xaBytes -= footprint(held.event)
		}
	}
	s.trx.held = s.trx.held[:keep-s.trx.passed]
	return nil
}

// commit ends a transaction whose rows count.
func (s *sequencer) commit() error {
	if s.trx.xa { // in one phase: the rows are no longer held for a commit
		s.xaBytes -= s.trx.heldBytes
		s.trx.xa = false
	}
	if err := s.passHeld(); err != nil {
		return err
	}
	if s.trx.toSkip > 0 {
		return &TornTransactionError{Transaction: s.trx.id, At: s.place.coordinates()}
	}
	return s.end(nil)
}

// end closes the transaction, with those that were withheld for it.
func (s *sequencer) end(withheld []gtid) error {
	ids := withheld
	if !s.trx.gtid.isZero() {
		ids = append(ids, s.trx.gtid)
	}
	s.remember()
	s.drop()
	s.advanced = true
	if err := s.place.complete(); err != nil {
		return err
	}
	return s.handOn(ids)
}

// handOn tells how far everything is handled once the events passed on have been.
func (s *sequencer) handOn(ids []gtid) error {
	if s.proof != nil {
		return nil // it has been told
	}
	next := progress{file: s.place.completedFile, end: s.place.completedEnd, ids: ids}
	if oldest, waiting := s.oldestXA(); waiting {
		next.file, next.end = oldest.start.file, oldest.start.end
		if oldest.gtid.mariadb != nil {
			// One number a domain: there can be no gap for the prepared transaction.
			s.withhold(ids)
			next.ids = nil
		}
	} else if len(s.withheld) > 0 {
		next.ids = append(s.withheld, ids...)
		s.withheld = nil
	}
	if len(next.ids) == 0 && next.file == s.lastHanded.file && next.end == s.lastHanded.end {
		return nil
	}
	s.lastHanded = next
	return s.out(item{progress: &next})
}

func (s *sequencer) withhold(ids []gtid) {
	for _, id := range ids {
		s.withheld = slices.DeleteFunc(s.withheld, func(other gtid) bool {
			return other.mariadb.DomainID == id.mariadb.DomainID
		})
		s.withheld = append(s.withheld, id)
	}
}
