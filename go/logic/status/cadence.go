package status

import "time"

// hintInterval is how often ticks repeat the hint block, counted from the start of the run.
const hintInterval = 10 * time.Minute

// HintsDue tells whether a line printed now shows the hint block although nobody asked for it: in each second of the run
// that is a multiple of ten minutes, the first included.
func HintsDue(elapsed time.Duration) bool {
	return int64(elapsed/time.Second)%int64(hintInterval/time.Second) == 0
}

// Cadence decides which of the once-a-second ticks are printed: all of them while things happen, fewer in the long middle.
// The zero value is ready; it belongs to the one goroutine that ticks.
type Cadence struct {
	started bool
	last    int64 // second of the run at the latest tick
}

// Due is what a tick should print.
type Due struct {
	Line  bool
	Hints bool // never without Line
}

// Tick tells what to print now. All three times count from the run's own clock: elapsed since its start, eta as the
// Estimator says, sincePointOfInterest since somebody last had a reason to watch closely (elapsed itself if never).
//
// A step counts as reached when a multiple of it lies after the previous tick, so a late tick makes up for a missed second;
// a second tick within one second prints nothing.
func (c *Cadence) Tick(elapsed, eta, sincePointOfInterest time.Duration) Due {
	now := int64(elapsed / time.Second)
	previous := c.last
	if !c.started {
		previous = now - 1
	}
	c.started, c.last = true, now

	due := Due{
		Line:  reaches(previous, now, lineInterval(elapsed, eta, sincePointOfInterest)),
		Hints: reaches(previous, now, hintInterval),
	}
	due.Line = due.Line || due.Hints
	return due
}

// lineInterval is how far apart printed lines are, given how the run stands.
func lineInterval(elapsed, eta, sincePointOfInterest time.Duration) time.Duration {
	switch {
	case elapsed <= time.Minute:
		return time.Second
	case eta == ETAUnknown, eta <= time.Minute:
		return time.Second
	case eta <= 3*time.Minute, elapsed <= 3*time.Minute, sincePointOfInterest < time.Minute:
		return 5 * time.Second
	default:
		return 30 * time.Second
	}
}

// reaches tells whether a multiple of step lies in the seconds after previous, up to and including now.
func reaches(previous, now int64, step time.Duration) bool {
	seconds := int64(step / time.Second)
	if now <= previous {
		return false
	}
	return now%seconds == 0 || now/seconds > previous/seconds
}
