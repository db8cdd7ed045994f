package base

import (
	"sync"
	"sync/atomic"
	"time"
)

// HTTPStatusOK is the one answer to the throttling HTTP check that does not throttle.
const HTTPStatusOK = 200

// ThrottleReasonHint marks the reasons for throttling that other parts treat differently.
type ThrottleReasonHint string

const (
	// NoThrottleReasonHint: a reason like any other.
	NoThrottleReasonHint ThrottleReasonHint = "NoThrottleReasonHint"
	// UserCommandThrottleReasonHint: an operator commanded it.
	UserCommandThrottleReasonHint ThrottleReasonHint = "UserCommandThrottleReasonHint"
	// LeavingHibernationThrottleReasonHint: hibernation is over, and nothing has been measured since.
	LeavingHibernationThrottleReasonHint ThrottleReasonHint = "LeavingHibernationThrottleReasonHint"
)

// ThrottleCheckResult says whether to throttle, and why.
type ThrottleCheckResult struct {
	ShouldThrottle bool
	Reason         string
	ReasonHint     ThrottleReasonHint
}

// NewThrottleCheckResult puts the three together.
func NewThrottleCheckResult(throttle bool, reason string, reasonHint ThrottleReasonHint) *ThrottleCheckResult {
	return &ThrottleCheckResult{ShouldThrottle: throttle, Reason: reason, ReasonHint: reasonHint}
}

// ThrottlingSettings are the reasons to throttle that are fixed at the start. Those that an operator can change are in
// LiveSettings.
type ThrottlingSettings struct {
	// ThrottleFlagFile and ThrottleAdditionalFlagFile throttle while they exist. Empty: none.
	ThrottleFlagFile           string
	ThrottleAdditionalFlagFile string
	// ThrottleHTTPIntervalMillis is the time between two HTTP checks, and ThrottleHTTPTimeoutMillis the limit for one.
	ThrottleHTTPIntervalMillis int64
	ThrottleHTTPTimeoutMillis  int64
	// CriticalLoadIntervalMilliseconds: a critical load must still be met after this time to count. 0: it counts at once.
	CriticalLoadIntervalMilliseconds int64
	// CriticalLoadHibernateSeconds: on a critical load stand still for this time instead of ending. 0: end.
	CriticalLoadHibernateSeconds int64
}

// ThrottleState is what the throttler found last, for all others to see. Safe for concurrent use.
type ThrottleState struct {
	_ [0]atomic.Int64 // aligns the plain int64 below on 32-bit machines

	// ThrottleCommandedByUser is 1 while an operator has commanded to throttle, else 0. Access it with sync/atomic, or by
	// IsThrottleCommandedByUser and SetThrottleCommandedByUser.
	ThrottleCommandedByUser int64

	throttleMutex  sync.Mutex // guards all below
	throttle       ThrottleCheckResult
	hibernateUntil time.Time
}

// IsThrottleCommandedByUser tells whether an operator has commanded to throttle.
func (s *ThrottleState) IsThrottleCommandedByUser() bool {
	return atomic.LoadInt64(&s.ThrottleCommandedByUser) > 0
}

// SetThrottleCommandedByUser notes that an operator commanded to throttle, or to throttle no longer.
func (s *ThrottleState) SetThrottleCommandedByUser(throttle bool) {
	var flag int64
	if throttle {
		flag = 1
	}
	atomic.StoreInt64(&s.ThrottleCommandedByUser, flag)
}

// SetThrottled sets what IsThrottled tells.
func (s *ThrottleState) SetThrottled(throttle bool, reason string, reasonHint ThrottleReasonHint) {
	s.throttleMutex.Lock()
	defer s.throttleMutex.Unlock()
	s.throttle = ThrottleCheckResult{ShouldThrottle: throttle, Reason: reason, ReasonHint: reasonHint}
}

// IsThrottled tells whether the migration is throttled now, and why. In the critical section of the cut-over it never is:
// clients wait meanwhile.
func (c *MigrationContext) IsThrottled() (bool, string, ThrottleReasonHint) {
	if c.IsInCutOverCriticalSection() {
		return false, "critical section", NoThrottleReasonHint
	}
	c.throttleMutex.Lock()
	defer c.throttleMutex.Unlock()
	return c.throttle.ShouldThrottle, c.throttle.Reason, c.throttle.ReasonHint
}

// HibernateUntil makes the migration stand still until that moment.
func (s *ThrottleState) HibernateUntil(moment time.Time) {
	s.throttleMutex.Lock()
	defer s.throttleMutex.Unlock()
	s.hibernateUntil = moment
}

// HibernatesUntil is the moment until which the migration stands still, and whether it still lies ahead.
func (s *ThrottleState) HibernatesUntil(now time.Time) (until time.Time, hibernates bool) {
	s.throttleMutex.Lock()
	defer s.throttleMutex.Unlock()
	return s.hibernateUntil, now.Before(s.hibernateUntil)
}
