package base

import (
	"fmt"
	"time"
)

// CutOver is a way to swap the tables.
type CutOver int

const (
	// CutOverAtomic swaps both tables in one RENAME, behind a lock: at no moment is the table missing.
	CutOverAtomic CutOver = iota
	// CutOverTwoStep renames one table after the other; in between queries fail for want of the table.
	CutOverTwoStep
)

// ParseCutOver reads the name of a way to cut over: "atomic", its other names "default" and "", or "two-step".
func ParseCutOver(name string) (CutOver, error) {
	switch name {
	case "", "default", "atomic":
		return CutOverAtomic, nil
	case "two-step":
		return CutOverTwoStep, nil
	}
	return CutOverAtomic, fmt.Errorf("unknown way to cut over %q: use atomic or two-step", name)
}

// String gives the name that ParseCutOver reads.
func (c CutOver) String() string {
	if c == CutOverTwoStep {
		return "two-step"
	}
	return "atomic"
}

// The ranges of the cut-over settings, and their defaults.
const (
	DefaultCutOverLockTimeoutSeconds     = 3
	minCutOverLockTimeoutSeconds         = 1
	maxCutOverLockTimeoutSeconds         = 10
	DefaultExponentialBackoffMaxInterval = 64
	minExponentialBackoffMaxInterval     = 2
)

// CutOverSettings says how and how insistently the tables are swapped.
type CutOverSettings struct {
	// CutOverType is the way to swap.
	CutOverType CutOver
	// CutOverLockTimeoutSeconds is how long writers may be held by one attempt; use SetCutOverLockTimeoutSeconds.
	CutOverLockTimeoutSeconds int64
	// CutOverExponentialBackoff waits 1, 2, 4, … seconds between failed attempts, instead of 1 second each.
	CutOverExponentialBackoff bool
	// ExponentialBackoffMaxInterval bounds that wait, in seconds; use SetExponentialBackoffMaxInterval.
	ExponentialBackoffMaxInterval int64
	// CutOverForceAfterSeconds: once other sessions have kept the cut-over from its lock for that long, they are ended.
	// 0: they are always waited for.
	CutOverForceAfterSeconds int64
	// PostponeCutOverFlagFile, while it exists, postpones the cut-over. This is the path given at the start;
	// GetPostponeCutOverFlagFile gives the one that counts now. Empty: none.
	PostponeCutOverFlagFile string
	// PanicFlagFile ends the migration at once, without cleaning up, when it comes into being. Empty: none.
	PanicFlagFile string
	// ForceNamedCutOverCommand and ForceNamedPanicCommand: the interactive command must name the table.
	ForceNamedCutOverCommand bool
	ForceNamedPanicCommand   bool
}

// SetCutOverLockTimeoutSeconds sets how long writers may be held by one attempt. Outside 1…10 seconds it changes nothing and
// returns an error.
func (c *CutOverSettings) SetCutOverLockTimeoutSeconds(timeoutSeconds int64) error {
	if timeoutSeconds < minCutOverLockTimeoutSeconds || timeoutSeconds > maxCutOverLockTimeoutSeconds {
		return fmt.Errorf("cut-over-lock-timeout-seconds is %d, allowed are %d to %d",
			timeoutSeconds, minCutOverLockTimeoutSeconds, maxCutOverLockTimeoutSeconds)
	}
	c.CutOverLockTimeoutSeconds = timeoutSeconds
	return nil
}

// SetExponentialBackoffMaxInterval bounds the wait between failed attempts. Below 2 seconds it changes nothing and returns
// an error.
func (c *CutOverSettings) SetExponentialBackoffMaxInterval(intervalSeconds int64) error {
	if intervalSeconds < minExponentialBackoffMaxInterval {
		return fmt.Errorf("exponential-backoff-max-interval is %d, allowed is %d or more",
			intervalSeconds, minExponentialBackoffMaxInterval)
	}
	c.ExponentialBackoffMaxInterval = intervalSeconds
	return nil
}

// CutOverLockTimeout is CutOverLockTimeoutSeconds as a duration.
func (c *CutOverSettings) CutOverLockTimeout() time.Duration {
	return time.Duration(c.CutOverLockTimeoutSeconds) * time.Second
}

// CutOverForceAfter is CutOverForceAfterSeconds as a duration; 0: never.
func (c *CutOverSettings) CutOverForceAfter() time.Duration {
	return time.Duration(max(c.CutOverForceAfterSeconds, 0)) * time.Second
}
