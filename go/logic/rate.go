package logic

import (
	"sync"
	"time"
)

// rate measures how many things are done in a second while they are being done, smoothed over the last ones. The zero
// value has measured nothing.
type rate struct {
	mutex  sync.Mutex
	things float64
	took   float64 // seconds
}

// rateDecay is the weight that earlier measurements keep at each new one.
const rateDecay = 0.9

func (r *rate) observe(things int64, took time.Duration) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	r.things = r.things*rateDecay + float64(things)
	r.took = r.took*rateDecay + took.Seconds()
}

// timeFor is how long that many things are expected to take; 0 while nothing was measured.
func (r *rate) timeFor(things int) time.Duration {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if r.things == 0 {
		return 0
	}
	return time.Duration(float64(things) * r.took / r.things * float64(time.Second))
}
