package ledger

import "math/rand/v2"

// pool is a set of numbers from which one can be drawn at random in constant time. The order of its members depends
// on the order of the calls alone, so that runs with one seed draw alike.
type pool struct {
	members  []int64
	position map[int64]int
}

func newPool() *pool { return &pool{position: map[int64]int{}} }

func (p *pool) len() int { return len(p.members) }

func (p *pool) add(member int64) {
	if _, found := p.position[member]; found {
		return
	}
	p.position[member] = len(p.members)
	p.members = append(p.members, member)
}

func (p *pool) remove(member int64) {
	at, found := p.position[member]
	if !found {
		return
	}
	last := len(p.members) - 1
	moved := p.members[last]
	p.members[at] = moved
	p.position[moved] = at
	p.members = p.members[:last]
	delete(p.position, member)
}

// draw returns up to n different members.
func (p *pool) draw(random *rand.Rand, n int) []int64 {
	n = min(n, len(p.members))
	drawn := make([]int64, 0, n)
	taken := make(map[int64]bool, n)
	for len(drawn) < n {
		member := p.members[random.IntN(len(p.members))]
		if taken[member] {
			continue
		}
		taken[member] = true
		drawn = append(drawn, member)
	}
	return drawn
}
