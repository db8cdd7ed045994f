package cutover

// Phase is where an attempt stands. Phases up to Swapping are the way to success, in this order; the later ones are
// the ways out.
type Phase uint8

// The phases of an attempt.
const (
	Idle        Phase = iota // nothing has been asked of the server
	Preparing                // the locking session creates the sentry
	Locking                  // LOCK TABLES is under way; nothing is held yet
	Draining                 // locked; events up to the lock are being applied
	Renaming                 // the RENAME is issued and must be seen to wait
	Checking                 // last look before the point of no return
	Dropping                 // the sentry is being dropped
	Proving                  // the RENAME must be seen queued on the original
	Unlocking                // commit: the tables are being unlocked
	Swapping                 // unlocked; the RENAME must end
	Withdrawing              // abort after the sentry's drop: the RENAME must be gone before the unlock
	Releasing                // abort: the tables are being unlocked
	Killing                  // no lock is held any more; the RENAME is being killed and confirmed gone
	Clearing                 // abort: the sentry is being dropped
	Ending                   // the lost locking session is being ended on the server, which may not have noticed its loss
	Settling                 // the server is asked which table stands under which name
	Done                     // the attempt has ended
)

// Lock is what the locking session holds, as far as is known.
type Lock uint8

// The states of the lock. LockLost: the session's connection is gone, and the server may or may not have noticed, so
// that it may still hold what the session held. LockEnded: the server has no such session any more, or ends it by itself.
const (
	LockNone Lock = iota
	LockHeld
	LockReleased
	LockLost
	LockEnded
)

// Sentry is what is known of the sentry table.
type Sentry uint8

// The states of the sentry. SentryDoubtful: its drop was asked for and the answer is not known.
const (
	SentryNone Sentry = iota
	SentryStanding
	SentryDoubtful
	SentryDropped
)

// Rename is what is known of the RENAME.
type Rename uint8

// The states of the RENAME. RenameDoubtful: its connection was lost and it may still be running on the server;
// RenameVanished: it runs no more, but its answer is not known; RenameUnknown: and the server could not be asked.
const (
	RenameNone Rename = iota
	RenameIssued
	RenameDoubtful
	RenameVanished
	RenameFailed
	RenameSucceeded
	RenameUnknown
)

// Cause is the first reason why an attempt was given up; NoCause while it was not.
type Cause uint8

// The causes of an abort.
const (
	NoCause         Cause = iota
	PrepareFailure        // the sentry could not be made
	LockFailure           // LOCK TABLES failed
	DeadlinePassed        // the lock timeout passed
	Interrupted           // the context of the attempt ended
	LockSessionGone       // the locking session was lost
	DrainFailure          // events up to the lock cannot be applied
	RenameFailure         // the RENAME failed or its connection was lost
	CheckFailure          // the last look found a reason not to go on
	DropFailure           // the sentry could not be dropped
	SwapOverdue           // the RENAME did not get through after the unlock
)

// Outcome is what an ended attempt has done to the tables.
type Outcome uint8

// The outcomes. Undetermined: the server could not be asked.
const (
	NotSwapped Outcome = iota
	Swapped
	Undetermined
)

// State is everything that the decisions of one attempt rest on. The zero value is an attempt that has not begun.
// It is a value: copying it is how the exploration branches.
type State struct {
	Phase  Phase
	Lock   Lock
	Sentry Sentry
	Rename Rename
	Cause  Cause // set once, by the first failure
}

// Done tells whether the attempt has ended: no lock is held, no RENAME runs, no action is outstanding.
func (s State) Done() bool { return s.Phase == Done }

// Outcome is what the attempt did; it is meaningful once Done.
func (s State) Outcome() Outcome {
	switch s.Rename {
	case RenameSucceeded:
		return Swapped
	case RenameUnknown:
		return Undetermined
	}
	return NotSwapped
}

// SentryLeft tells whether a sentry may be left behind for the next attempt to clear.
func (s State) SentryLeft() bool {
	return s.Outcome() != Swapped && (s.Sentry == SentryStanding || s.Sentry == SentryDoubtful)
}

// Holding tells whether clients may be waiting for this attempt's lock.
func (s State) Holding() bool {
	return s.Lock == LockHeld || s.Lock == LockLost || s.Phase == Locking
}

// renamePending tells whether a RENAME may be running on the server.
func (s State) renamePending() bool { return s.Rename == RenameIssued || s.Rename == RenameDoubtful }
