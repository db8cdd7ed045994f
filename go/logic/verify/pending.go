package verify

import (
	"sync"

	"github.com/github/gh-ost/go/sql"
)

// strikesOut is how many times in a row a row must differ, unchanged and with everything applied, to be a fault. The second
// time proves it as far as the stream was read; the third, that no event of the row was still on its way.
const strikesOut = 3

// row is one row as both tables show it: its hashes, "" where a table has no such row.
type row struct {
	id              string
	key             sql.Bound
	original, ghost string
}

func (r row) differs() bool { return r.original != r.ghost }

// item is a row taken to be read, with the events seen of it until then.
type item struct {
	*entry
	seen uint64
}

// pending holds the rows that have to be read (again). It is safe for concurrent use.
type pending struct {
	mutex    sync.Mutex
	limit    int
	entries  map[string]*entry
	queue    []*entry // the longest waiting first; each entry that is not taken is in it once, forgotten ones may be, too
	overflow bool
	added    chan struct{} // holds one signal once something was added
}

type entry struct {
	id      string
	key     sql.Bound
	touches uint64 // events seen

	strikes         int
	since           uint64 // touches when the first strike was counted
	original, ghost string // what the strikes were about

	accused bool // see accuse; until it is read equal
}

func newPending(limit int) *pending {
	return &pending{limit: limit, entries: map[string]*entry{}, added: make(chan struct{}, 1)}
}

// touch notes an event of the row. Above the limit it only notes that.
func (p *pending) touch(id string, key sql.Bound) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	if e := p.entry(id, key); e != nil {
		e.touches++
	}
}

// entry returns the row's entry, making one if need be; nil above the limit.
func (p *pending) entry(id string, key sql.Bound) *entry {
	if e, known := p.entries[id]; known {
		return e
	}
	if len(p.entries) >= p.limit {
		p.overflow = true
		return nil
	}
	e := &entry{id: id, key: key}
	p.entries[id] = e
	p.queue = append(p.queue, e)
	select {
	case p.added <- struct{}{}:
	default:
	}
	return e
}

// take returns up to n rows, the longest waiting first. Each must be given to settle afterwards, or to putBack.
func (p *pending) take(n int) []item {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	n = min(n, len(p.queue))
	items := make([]item, 0, n)
	for _, e := range p.queue[:n] {
		if p.entries[e.id] == e {
			items = append(items, item{e, e.touches})
		}
	}
	p.queue = p.queue[n:]
	return items
}

// putBack returns rows that could not be read.
func (p *pending) putBack(items []item) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	for _, i := range items {
		if p.entries[i.id] == i.entry {
			p.queue = append(p.queue, i.entry)
		}
	}
}

// settle takes in what the rows taken looked like when everything committed before the take had been applied: those that
// differed, and others that were found to differ on the way. It returns the rows that are faults; if it is to be patient,
// a row that the ghost lacks is none.
func (p *pending) settle(taken []item, differing []row, patient bool) (faults []row) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	found := make(map[string]row, len(differing))
	for _, r := range differing {
		found[r.id] = r
	}
	for _, i := range taken {
		e := i.entry
		if p.entries[i.id] != e {
			continue // forgotten meanwhile
		}
		r, differs := found[i.id]
		delete(found, i.id)
		switch {
		case differs:
			switch {
			case !e.strike(r):
			case patient && r.ghost == "":
				e.strikes = 0
			default:
				faults = append(faults, r)
			}
		case e.touches == i.seen:
			delete(p.entries, i.id)
			continue
		default:
			e.strikes, e.accused = 0, false
		}
		p.queue = append(p.queue, i.entry)
	}
	for _, r := range found {
		p.found(r)
	}
	return faults
}

// suspect takes in rows that differed when they were read the first time.
func (p *pending) suspect(differing []row) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	for _, r := range differing {
		p.found(r)
	}
}

// accuse takes in rows that differed when nothing should have: the cut-over waits until it is known why.
func (p *pending) accuse(differing []row) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	for _, r := range differing {
		if e := p.found(r); e != nil {
			e.accused = true
		}
	}
}

func (p *pending) found(r row) *entry {
	e := p.entry(r.id, r.key)
	if e != nil && e.strikes == 0 {
		e.strike(r)
	}
	return e
}

// strike counts one more time that the row differs, and tells whether it is a fault.
func (e *entry) strike(r row) bool {
	if e.strikes == 0 || e.since != e.touches || e.original != r.original || e.ghost != r.ghost {
		e.strikes, e.since, e.original, e.ghost = 0, e.touches, r.original, r.ghost
	}
	e.strikes++
	return e.strikes >= strikesOut
}

// reset forgets everything: a pass begins.
func (p *pending) reset() {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.entries, p.queue, p.overflow = map[string]*entry{}, nil, false
}

// all returns all rows, also those that are taken.
func (p *pending) all() []item {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	items := make([]item, 0, len(p.entries))
	for _, e := range p.entries {
		items = append(items, item{e, e.touches})
	}
	return items
}

// forget removes rows that have been read equal, unless they were touched since.
func (p *pending) forget(items []item) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	for _, i := range items {
		if p.entries[i.id] == i.entry && i.touches == i.seen {
			delete(p.entries, i.id)
		}
	}
}

// state tells how many rows wait, how many of them are about to turn out to be faults, and whether some were not noted.
func (p *pending) state() (rows, suspicious int, overflow bool) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	for _, e := range p.entries {
		if e.accused || e.strikes == strikesOut-1 {
			suspicious++
		}
	}
	return len(p.entries), suspicious, p.overflow
}

func (p *pending) overflowed() bool {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	return p.overflow
}
