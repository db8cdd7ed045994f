package throttle

import (
	"context"
	"sync"
	"time"
)

// leastPause keeps a setting of zero from making a collector spin.
const leastPause = 10 * time.Millisecond

// A collector measures one concern again and again. One measurement ends before the next begins.
type collector struct {
	collect func(ctx context.Context) // measures once and leaves the result on the board
	pause   func() time.Duration      // from one start to the next, asked anew each time
	end     func()                    // lets go of what collect holds; may be nil
	soon    chan struct{}             // has room for one wish to measure now
	first   chan struct{}             // closed after the first measurement
}

func newCollector(collect func(context.Context), pause func() time.Duration) *collector {
	return &collector{collect: collect, pause: pause, soon: make(chan struct{}, 1), first: make(chan struct{})}
}

func (c *collector) atEnd(end func()) *collector {
	c.end = end
	return c
}

// every is a pause that never changes.
func every(interval time.Duration) func() time.Duration {
	return func() time.Duration { return interval }
}

// hurry ends the pause, or the one after the measurement under way.
func (c *collector) hurry() {
	select {
	case c.soon <- struct{}{}:
	default:
	}
}

// run collects until the context ends.
func (c *collector) run(ctx context.Context) {
	if c.end != nil {
		defer c.end()
	}
	var once sync.Once
	for ctx.Err() == nil {
		started := time.Now()
		c.collect(ctx)
		once.Do(func() { close(c.first) })

		pause := time.NewTimer(time.Until(started.Add(max(c.pause(), leastPause))))
		select {
		case <-pause.C:
		case <-c.soon:
		case <-ctx.Done():
		}
		pause.Stop()
	}
}

// quietTime is how long a complaint whose text keeps changing (a port number will do) is logged once.
const quietTime = 10 * time.Second

// complaint logs an error when it is new, not each time it is met.
type complaint struct {
	latest string
	logged time.Time
}

// report logs the error under what was being done, unless it is the one logged last. A nil error ends the complaint.
func (c *complaint) report(log Logger, doing string, err error) {
	switch {
	case err == nil && c.latest != "":
		log.Infof("%s succeeds again", doing)
		*c = complaint{}
	case err == nil || err.Error() == c.latest || time.Since(c.logged) < quietTime:
	default:
		c.latest, c.logged = err.Error(), time.Now()
		_ = log.Errorf("%s: %s", doing, err)
	}
}
