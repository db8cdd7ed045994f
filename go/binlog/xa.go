package binlog

// prepare keeps the transaction being read until its commit or rollback, which may come at any time later, from any
// session, or after a restart of the server.
func (s *sequencer) prepare(xid string) error {
	kept := preparedXA{start: s.trx.start, gtid: s.trx.gtid, events: s.trx.held, bytes: s.trx.heldBytes, order: s.xaOrder}
	s.xaOrder++
	if !s.trx.xa {
		s.xaBytes += kept.bytes
	}
	if old, ok := s.xa[xid]; ok {
		s.xaBytes -= old.bytes
	}
	s.xa[xid] = kept
	s.trx.held, s.trx.heldBytes, s.trx.xa = nil, 0, false
	// Its id is told with its commit: who starts again in between has to see the rows again.
	if s.trx.gtid.mariadb == nil {
		s.trx.gtid = gtid{}
	}
	return s.end(nil)
}

// commitXA passes on the rows of a prepared transaction, in the place of its commit.
func (s *sequencer) commitXA(xid string) error {
	at := s.place.coordinates()
	kept, ok := s.xa[xid]
	if !ok {
		if err := s.out(item{unseenXA: xid, at: at}); err != nil {
			return err
		}
		return s.end(nil)
	}
	for _, held := range kept.events {
		held.event.Coordinates = at // nobody has seen the event yet
		if err := s.out(item{event: held.event}); err != nil {
			return err
		}
	}
	return s.forgetXA(xid, kept)
}

func (s *sequencer) rollbackXA(xid string) error {
	kept, ok := s.xa[xid]
	if !ok {
		return s.end(nil)
	}
	return s.forgetXA(xid, kept)
}

func (s *sequencer) forgetXA(xid string, kept preparedXA) error {
	delete(s.xa, xid)
	s.xaBytes -= kept.bytes
	if kept.gtid.isZero() || kept.gtid.mariadb != nil {
		return s.end(nil)
	}
	return s.end([]gtid{kept.gtid})
}

// oldestXA is the prepared transaction that was read first.
func (s *sequencer) oldestXA() (oldest preparedXA, waiting bool) {
	for _, kept := range s.xa {
		if !waiting || kept.order < oldest.order {
			oldest, waiting = kept, true
		}
	}
	return oldest, waiting
}
