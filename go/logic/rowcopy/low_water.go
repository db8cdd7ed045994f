package rowcopy

import "sync"

// LowWater is how far the copy has come without a gap: every row up to Range.To stands in the ghost, or has an event that
// says why not. Ranges are copied side by side, so some behind it may be done as well; to copy those again does no harm.
type LowWater struct {
	Range Range // the last range without a gap before it; the zero value: nothing has been copied
	Rows  int64 // that were copied up to there
}

// IsZero tells whether nothing has been copied.
func (l LowWater) IsZero() bool { return l.Range.To == nil }

// lowWaterMark moves on as ranges are done. It is safe for concurrent use.
type lowWaterMark struct {
	mutex sync.Mutex
	mark  LowWater
	next  int64           // the iteration that the mark waits for
	rows  map[int64]int64 // copied in ranges behind the mark, by iteration
	done  map[int64]Range // those of them that are complete
}

func newLowWaterMark(start LowWater) *lowWaterMark {
	m := &lowWaterMark{mark: start, rows: map[int64]int64{}, done: map[int64]Range{}}
	if !start.IsZero() {
		m.next = start.Range.Iteration + 1
	}
	return m
}

func (m *lowWaterMark) get() LowWater {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	return m.mark
}

// add counts rows of a range that is being copied.
func (m *lowWaterMark) add(iteration, rows int64) {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	m.rows[iteration] += rows
}

// finish notes that a range is done.
func (m *lowWaterMark) finish(r Range) {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	m.done[r.Iteration] = r
	for {
		r, done := m.done[m.next]
		if !done {
			return
		}
		m.mark = LowWater{Range: r, Rows: m.mark.Rows + m.rows[m.next]}
		delete(m.done, m.next)
		delete(m.rows, m.next)
		m.next++
	}
}

// recount counts the rows of a resumed copy. Behind the low-water mark an earlier run may have copied ranges already, whose
// rows are not new to the ghost any more; they are counted by what stands in the original, until a range is met whose rows
// are mostly new.
type recount struct {
	mutex   sync.Mutex
	earlier bool // what comes may have been copied by the earlier run
}

func (c *recount) count(r Range, rows int64) int64 {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.earlier = c.earlier && rows <= r.Rows/2
	if c.earlier {
		return r.Rows
	}
	return rows
}
