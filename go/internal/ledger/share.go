package ledger

import "database/sql"

// row is what the ledger knows of one row besides its id.
type row struct {
	slot    int64
	payload sql.NullString
	counter int64
}

// share is one writer's part of the table as the acknowledged transactions left it, plus the transaction that is under
// way. Only its writer touches it while the ledger runs.
type share struct {
	rows      map[int64]row
	live      *pool // the ids in rows
	freeIDs   *pool // ids of this share that no row has
	freeSlots *pool // unique values of this share that no row has

	journal []entry // what the transaction under way has changed, oldest first
	size    int     // rows at the start; the share hovers around it
}

// entry remembers a row as it was before one change of the transaction under way. A nil before: there was none.
type entry struct {
	id     int64
	before *row
}

func newShare() *share {
	return &share{rows: map[int64]row{}, live: newPool(), freeIDs: newPool(), freeSlots: newPool()}
}

// put makes the row of id what it is given; nil removes it. The change belongs to the transaction under way.
func (s *share) put(id int64, now *row) {
	s.journal = append(s.journal, entry{id, s.get(id)})
	s.write(id, now)
}

func (s *share) get(id int64) *row {
	if found, ok := s.rows[id]; ok {
		return &found
	}
	return nil
}

func (s *share) write(id int64, now *row) {
	if old, found := s.rows[id]; found {
		s.freeSlots.add(old.slot)
		s.live.remove(id)
		s.freeIDs.add(id)
		delete(s.rows, id)
	}
	if now != nil {
		s.freeSlots.remove(now.slot)
		s.freeIDs.remove(id)
		s.live.add(id)
		s.rows[id] = *now
	}
}

// commit ends the transaction under way: its changes are the truth now.
func (s *share) commit() { s.journal = s.journal[:0] }

// rollback ends the transaction under way and takes all its changes back.
func (s *share) rollback() { s.rollbackTo(0) }

// savepoint returns a mark for rollbackTo.
func (s *share) savepoint() int { return len(s.journal) }

// rollbackTo takes back what was changed since the mark. Rows are removed first and then written, because between
// two rows that swapped a unique value no order of single steps would keep the free values right.
func (s *share) rollbackTo(mark int) {
	before := imagesBefore(s.journal[mark:])
	for _, image := range before {
		s.write(image.id, nil)
	}
	for _, image := range before {
		s.write(image.id, image.before)
	}
	s.journal = s.journal[:mark]
}

// touched returns each row that the transaction under way has changed once, as it was before the transaction.
func (s *share) touched() []entry { return imagesBefore(s.journal) }

func imagesBefore(journal []entry) []entry {
	var first []entry
	seen := map[int64]bool{}
	for _, change := range journal {
		if !seen[change.id] {
			seen[change.id] = true
			first = append(first, change)
		}
	}
	return first
}
