package throttle

// Cause is the kind of a reason, for metrics and for telling whether a reason changed in more than its numbers. Unlike the
// reason's text it has few values.
type Cause string

// The causes, in the order in which they are looked at. None means not throttled.
const (
	None               Cause = ""
	Hibernation        Cause = "hibernation"
	LeavingHibernation Cause = "leaving-hibernation"
	UnreadableLoad     Cause = "unreadable-critical-load"
	UserCommand        Cause = "user-command"
	ThrottleFlagFile   Cause = "flag-file"
	MaxLoad            Cause = "max-load"
	Query              Cause = "query"
	HTTP               Cause = "http"
	Lag                Cause = "lag"
	ControlReplicaLag  Cause = "control-replica-lag"
)

// Hint marks the reasons that others act on: heartbeats are not written while the user throttles. The values are those that
// embedders know.
type Hint string

// The hints.
const (
	NoHint                 Hint = "NoThrottleReasonHint"
	UserCommandHint        Hint = "UserCommandThrottleReasonHint"
	LeavingHibernationHint Hint = "LeavingHibernationThrottleReasonHint"
)

// Verdict is the answer of Decide.
type Verdict struct {
	Throttled bool
	Reason    string // as people read it; "" if not throttled
	Hint      Hint
	Cause     Cause
	Subject   string // what the cause is about, if there can be several: the variable, the replica, the status
}

// open is the verdict that nothing speaks against working.
func open() Verdict { return Verdict{Hint: NoHint} }

func closed(cause Cause, subject, reason string) Verdict {
	return Verdict{Throttled: true, Reason: reason, Hint: NoHint, Cause: cause, Subject: subject}
}

func (v Verdict) withHint(hint Hint) Verdict {
	v.Hint = hint
	return v
}

// sameCause tells whether two verdicts differ at most in the numbers of their reason's text.
func (v Verdict) sameCause(other Verdict) bool {
	return v.Throttled == other.Throttled && v.Cause == other.Cause && v.Subject == other.Subject
}
