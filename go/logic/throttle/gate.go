package throttle

import (
	"context"
	"sync"
)

// Gate is what workers wait at before each step. It is open until a Throttler says otherwise. The methods are safe for
// concurrent use.
type Gate struct {
	mu       sync.Mutex
	verdict  Verdict       // the latest, whether it is heeded or not
	bypasses int           // critical sections under way; the verdict is heeded while there are none
	opening  chan struct{} // closed when the gate opens; nil while it is open
}

// NewGate returns an open gate.
func NewGate() *Gate { return &Gate{verdict: open()} }

// Wait returns nil as soon as the gate is open, at once if it is, or the context's error when that ends first.
func (g *Gate) Wait(ctx context.Context) error {
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		opening := g.whenOpen()
		if opening == nil {
			return nil
		}
		select {
		case <-opening:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// State tells whether workers are held, why, and what the reason means to others. Inside a critical section they are not.
func (g *Gate) State() (throttled bool, reason string, hint Hint) {
	verdict := g.Verdict()
	return verdict.Throttled, verdict.Reason, verdict.Hint
}

// Verdict is State with the kind of the reason.
func (g *Gate) Verdict() Verdict {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.bypasses > 0 {
		return open()
	}
	return g.verdict
}

// Bypass keeps the gate open until restore is called, whatever the reasons: while tables are locked, holding back would
// only make it longer. Sections may overlap; calling restore again does nothing.
func (g *Gate) Bypass() (restore func()) {
	g.shift(1)
	var once sync.Once
	return func() { once.Do(func() { g.shift(-1) }) }
}

func (g *Gate) shift(by int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.bypasses += by
	g.settle()
}

// set makes the verdict the one in force.
func (g *Gate) set(verdict Verdict) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.verdict = verdict
	g.settle()
}

func (g *Gate) bypassed() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.bypasses > 0
}

func (g *Gate) whenOpen() <-chan struct{} {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.opening
}

// settle brings opening in line with verdict and bypasses; mu is held.
func (g *Gate) settle() {
	shut := g.verdict.Throttled && g.bypasses == 0
	switch {
	case shut && g.opening == nil:
		g.opening = make(chan struct{})
	case !shut && g.opening != nil:
		close(g.opening)
		g.opening = nil
	}
}
