package testproxy

import "sync"

// gate is a point that nothing passes while it is shut.
type gate struct {
	mutex sync.Mutex
	shut  chan struct{} // closed when the gate opens; nil while it is open
}

func (g *gate) close() {
	g.mutex.Lock()
	defer g.mutex.Unlock()
	if g.shut == nil {
		g.shut = make(chan struct{})
	}
}

func (g *gate) open() {
	g.mutex.Lock()
	defer g.mutex.Unlock()
	if g.shut != nil {
		close(g.shut)
		g.shut = nil
	}
}

// pass waits until the gate is open. It returns false if ended is closed before.
func (g *gate) pass(ended <-chan struct{}) bool {
	for {
		g.mutex.Lock()
		shut := g.shut
		g.mutex.Unlock()
		if shut == nil {
			return true
		}
		select {
		case <-shut:
		case <-ended:
			return false
		}
	}
}
