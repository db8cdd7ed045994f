package status

import (
	"math"
	"time"
)

// ETAUnknown stands for a time left that nobody can tell yet.
const ETAUnknown = time.Duration(math.MinInt64)

// ETASecondsUnknown is ETASeconds of ETAUnknown; hooks and embedders compare with it.
const ETASecondsUnknown = math.MinInt64

// ETASeconds is the time left in whole seconds: ETASecondsUnknown if it is unknown, never negative otherwise.
func ETASeconds(eta time.Duration) int64 {
	if eta == ETAUnknown {
		return ETASecondsUnknown
	}
	return max(int64(eta/time.Second), 0)
}

// FormatETA writes the time left as the status line does: N/A if it is unknown, due if less than a second is left.
func FormatETA(eta time.Duration) string {
	switch {
	case eta == ETAUnknown:
		return "N/A"
	case eta < time.Second:
		return "due"
	default:
		return FormatDuration(eta)
	}
}

const (
	// rateHalfLife is how old a second's rate is when it counts half. Long enough to even out chunks of uneven cost, short
	// enough to follow a change of the server's load within the minute.
	rateHalfLife = 10 * time.Second

	// leastTellingPercentage is the share of rows below which a guess would be worth nothing.
	leastTellingPercentage = 0.1
)

// Estimator tells how long the row copy still takes. Feed it once per tick; the zero value is ready.
//
// The rate is an exponentially weighted average over the time between observations, so that uneven ticks do no harm, and is
// divided by the weight gathered so far, so that the first seconds are not taken for slow ones.
type Estimator struct {
	seen    bool
	first   observation // where this run began to copy: a resumed run did not copy what its checkpoint already held
	last    observation
	sum     float64 // weighted sum of rates, rows per second
	weight  float64 // sum of the weights in sum; grows from 0 towards 1
	idle    bool    // nothing was copied between the last two observations
	current time.Duration
}

type observation struct {
	copied  int64
	elapsed time.Duration
}

// Observe takes in the progress after copyElapsed of row copy and returns the time left, which ETA keeps returning until
// the next call. An observation that is no later than the one before refreshes the answer but not the rate.
func (e *Estimator) Observe(progress Progress, copyElapsed time.Duration) time.Duration {
	now := observation{copied: progress.Copied, elapsed: copyElapsed}
	switch {
	case !e.seen:
		e.seen, e.first, e.last = true, now, now
	case now.elapsed > e.last.elapsed:
		e.learn(now)
	}
	e.current = e.estimate(progress)
	return e.current
}

// ETA is the latest answer of Observe, ETAUnknown before the first.
func (e *Estimator) ETA() time.Duration {
	if !e.seen {
		return ETAUnknown
	}
	return e.current
}

func (e *Estimator) learn(now observation) {
	span := now.elapsed - e.last.elapsed
	rows := max(now.copied-e.last.copied, 0)
	keep := math.Exp2(-span.Seconds() / rateHalfLife.Seconds())
	e.sum = e.sum*keep + float64(rows)/span.Seconds()*(1-keep)
	e.weight = e.weight*keep + (1 - keep)
	e.idle = rows == 0
	e.last = now
}

// RowsPerSecond is the rate the answer rests on: the smoothed rate, but not less than the average of the whole copy while
// nothing is copied at all. A night's throttling would otherwise turn the time left into centuries.
func (e *Estimator) RowsPerSecond() float64 {
	if e.weight == 0 {
		return 0
	}
	rate := e.sum / e.weight
	if e.idle {
		rate = max(rate, e.averageRate())
	}
	return rate
}

func (e *Estimator) averageRate() float64 {
	span := e.last.elapsed - e.first.elapsed
	if span <= 0 {
		return 0
	}
	return float64(e.last.copied-e.first.copied) / span.Seconds()
}

func (e *Estimator) estimate(progress Progress) time.Duration {
	percentage := progress.Percentage()
	switch {
	case percentage >= 100:
		return 0
	case percentage < leastTellingPercentage:
		return ETAUnknown
	}
	rate := e.RowsPerSecond()
	if rate <= 0 {
		return ETAUnknown
	}
	seconds := float64(progress.remaining()) / rate
	if seconds >= math.MaxInt64/float64(time.Second) {
		return ETAUnknown
	}
	return time.Duration(seconds * float64(time.Second)).Truncate(time.Second)
}
