package verify

import (
	"sync"
	"time"
)

// pace measures how many single rows can be read in some time, smoothed over the last reads.
type pace struct {
	mutex sync.Mutex
	rows  float64
	took  float64 // seconds
}

const (
	// paceDecay is the weight that earlier reads keep at each new one.
	paceDecay = 0.9

	// unmeasured is how many rows fit while nothing was measured, and least how many always do.
	unmeasured = 200
	least      = 20
)

func (p *pace) observe(rows int, took time.Duration) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.rows = p.rows*paceDecay + float64(rows)
	p.took = p.took*paceDecay + took.Seconds()
}

// fits is how many rows can be read in the time.
func (p *pace) fits(budget time.Duration) int {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	if p.took == 0 {
		return unmeasured
	}
	return max(least, int(p.rows/p.took*budget.Seconds()))
}

// chunkSize is how many rows a chunk has: the operator's number, adapted to the time that a chunk should take.
type chunkSize struct {
	configured func() int64
	target     func() time.Duration

	mutex   sync.Mutex
	adapted float64
}

func (c *chunkSize) rows() int64 {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if c.target() <= 0 || c.adapted == 0 {
		return max(1, c.configured())
	}
	return max(1, int64(c.adapted))
}

func (c *chunkSize) observe(rows int64, took time.Duration) {
	target := c.target()
	if target <= 0 || rows == 0 || took <= 0 {
		return
	}
	c.mutex.Lock()
	defer c.mutex.Unlock()
	fitting := float64(rows) * float64(target) / float64(took)
	adapted := min((float64(rows)+fitting)/2, 2*float64(rows), largestChunk) // half way, so that one slow chunk does not decide
	c.adapted = max(adapted, float64(c.configured())/2, 1)                   // of small chunks most time is spent beside the rows
}
