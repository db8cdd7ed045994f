package cutover

// Event is something observed by the sessions around the core.
type Event uint8

// The events. "Lost" is a connection that went away, which says nothing about what the server still does.
const (
	Begin Event = iota
	Prepared
	PrepareFailed
	LockGranted
	LockFailed
	Drained
	DrainFailed
	RenameSeenWaiting
	CheckPassed
	CheckFailed
	SentryGone
	SentryDropFailed
	QueueProven
	Unlocked
	RenameDone       // the server answered: tables are renamed
	RenameRefused    // the server answered: nothing is renamed
	RenameLost       // no answer will come
	RenameGone       // killed and confirmed: it runs no more and cannot start
	RenameStuck      // the kill could not be confirmed in its time
	LockLostEvent    // the locking session is gone, as far as can be seen from here
	LockSessionEnded // the server has no locking session any more, or will have none soon without being told
	TimedOut         // the lock timeout, or the time for the swap, has passed
	Cancelled        // the context of the attempt has ended
	TruthSwapped
	TruthNotSwapped
	TruthUnknown
)

// Action is something that the sessions around the core must carry out. Each ends in an event.
type Action uint8

// The actions. MakeSentry, LockTables, DropSentry and Unlock are the locking session's alone.
const (
	MakeSentry      Action = iota // → Prepared, PrepareFailed
	LockTables                    // → LockGranted, LockFailed; arms the lock timeout → TimedOut
	Drain                         // → Drained, DrainFailed; arms the lock timeout anew
	IssueRename                   // → RenameDone, RenameRefused, RenameLost
	AwaitRename                   // → RenameSeenWaiting, LockLostEvent
	CheckBeforeDrop               // → CheckPassed, CheckFailed, LockLostEvent
	DropSentry                    // → SentryGone, SentryDropFailed, LockLostEvent
	ProveQueued                   // → QueueProven, LockLostEvent
	Unlock                        // → Unlocked, LockLostEvent
	AwaitSwap                     // arms the time for the swap → TimedOut
	InterruptLock                 // ends the locking session's running statement, whose own event follows
	KillRename                    // → RenameGone, RenameStuck
	EndLockSession                // kills what the server has of a lost locking session → LockSessionEnded
	FindTruth                     // makes sure that the RENAME is gone, and asks → TruthSwapped, TruthNotSwapped, TruthUnknown
)

// Step takes an event and returns the next state and what to do. Events that no longer matter (a proof that arrives
// after the attempt was given up, a second cancellation) change nothing, so the sessions need not know whether
// anybody still waits for what they report.
func (s State) Step(e Event) (State, []Action) {
	switch e {
	case RenameDone, RenameRefused, RenameLost, RenameGone, RenameStuck:
		return s.renameReported(e)
	case LockLostEvent:
		return s.lockLost()
	case LockSessionEnded:
		return s.lockEnded()
	case TimedOut:
		return s.giveUp(DeadlinePassed)
	case Cancelled:
		return s.giveUp(Interrupted)
	}
	switch s.Phase {
	case Idle:
		if e == Begin {
			s.Phase = Preparing
			return s, []Action{MakeSentry}
		}
	case Preparing:
		return s.whilePreparing(e)
	case Locking:
		return s.whileLocking(e)
	case Draining, Renaming, Checking, Dropping, Proving, Unlocking:
		return s.whileHolding(e)
	case Releasing:
		if e == Unlocked {
			s.Lock = LockReleased
			return s.afterRelease()
		}
	case Clearing:
		if e == SentryGone {
			s.Sentry = SentryDropped
		}
		if e == SentryGone || e == SentryDropFailed {
			s.Phase = Done
		}
	case Settling:
		return s.settled(e)
	}
	return s, nil
}

func (s State) whilePreparing(e Event) (State, []Action) {
	switch e {
	case Prepared:
		s.Sentry = SentryStanding
		if s.Cause != NoCause {
			return s.abort()
		}
		s.Phase = Locking
		return s, []Action{LockTables}
	case PrepareFailed:
		s.Sentry = SentryDoubtful // an earlier one may stand that could not be dropped
		s.blame(PrepareFailure)
		s.Phase = Done
	}
	return s, nil
}

func (s State) whileLocking(e Event) (State, []Action) {
	switch e {
	case LockGranted:
		s.Lock = LockHeld
		if s.Cause != NoCause {
			return s.abort()
		}
		s.Phase = Draining
		return s, []Action{Drain}
	case LockFailed:
		s.blame(LockFailure)
		return s.abort()
	}
	return s, nil
}

// whileHolding is the way to the commit: each step waits for the confirmation of the one before it.
func (s State) whileHolding(e Event) (State, []Action) {
	switch {
	case s.Phase == Draining && e == Drained:
		s.Phase, s.Rename = Renaming, RenameIssued
		return s, []Action{IssueRename, AwaitRename}
	case s.Phase == Draining && e == DrainFailed:
		s.blame(DrainFailure)
		return s.abort()
	case s.Phase == Renaming && e == RenameSeenWaiting:
		s.Phase = Checking
		return s, []Action{CheckBeforeDrop}
	case s.Phase == Checking && e == CheckPassed:
		s.Phase, s.Sentry = Dropping, SentryDoubtful
		return s, []Action{DropSentry}
	case s.Phase == Checking && e == CheckFailed:
		s.blame(CheckFailure)
		return s.abort()
	case s.Phase == Dropping && e == SentryGone:
		s.Sentry = SentryDropped
		if s.Cause != NoCause {
			return s.abort()
		}
		s.Phase = Proving
		return s, []Action{ProveQueued}
	case s.Phase == Dropping && e == SentryDropFailed:
		s.blame(DropFailure) // the sentry stays doubtful: the drop may have been done before the failure
		return s.abort()
	case s.Phase == Proving && e == QueueProven:
		s.Phase = Unlocking
		return s, []Action{Unlock}
	case s.Phase == Unlocking && e == Unlocked:
		s.Lock = LockReleased
		return s.awaitSwap()
	}
	return s, nil
}

// giveUp is what a deadline or the end of the context asks for. Once the unlock of a commit is on its way the swap
// can no longer be called back by waiting less; then only the time for the swap itself counts.
func (s State) giveUp(cause Cause) (State, []Action) {
	switch s.Phase {
	case Idle:
		s.blame(cause)
		s.Phase = Done
	case Preparing:
		s.blame(cause) // the sentry's answer decides what there is to clear
	case Locking, Dropping:
		if s.Cause != NoCause {
			return s, nil
		}
		s.blame(cause)
		return s, []Action{InterruptLock}
	case Draining, Renaming, Checking, Proving:
		s.blame(cause)
		return s.abort()
	case Swapping:
		if cause != DeadlinePassed {
			return s, nil
		}
		s.blame(SwapOverdue)
		s.Phase = Killing
		return s, []Action{KillRename}
	}
	return s, nil
}

// abort is the way out from any state in which the locking session has no statement running. Its order is the safety
// of the whole tool: see the package comment.
func (s State) abort() (State, []Action) {
	switch {
	case s.Lock == LockHeld && s.Sentry != SentryStanding && s.renamePending():
		s.Phase = Withdrawing
		return s, []Action{KillRename}
	case s.Lock == LockHeld:
		s.Phase = Releasing
		return s, []Action{Unlock}
	}
	return s.afterRelease()
}

// afterRelease goes on when the locking session holds nothing any more, or is out of reach: the RENAME goes first, then
// what the server may still have of a lost locking session, then the sentry.
func (s State) afterRelease() (State, []Action) {
	switch {
	case s.renamePending():
		s.Phase = Killing
		return s, []Action{KillRename}
	case s.Lock == LockLost:
		s.Phase = Ending
		return s, []Action{EndLockSession}
	case s.Rename == RenameVanished:
		s.Phase = Settling
		return s, []Action{FindTruth}
	case s.Rename != RenameSucceeded && s.Rename != RenameUnknown && s.Sentry == SentryStanding && s.Lock != LockEnded:
		s.Phase = Clearing
		return s, []Action{DropSentry}
	}
	s.Phase = Done
	return s, nil
}

func (s State) awaitSwap() (State, []Action) {
	switch s.Rename {
	case RenameIssued:
		s.Phase = Swapping
		return s, []Action{AwaitSwap}
	default:
		return s.afterRelease()
	}
}

func (s State) renameReported(e Event) (State, []Action) {
	if !s.renamePending() {
		return s, nil
	}
	switch e {
	case RenameDone:
		s.Rename = RenameSucceeded
	case RenameRefused:
		s.Rename = RenameFailed
		s.blame(RenameFailure)
	case RenameLost:
		if s.Rename == RenameDoubtful {
			return s, nil
		}
		s.Rename = RenameDoubtful
		s.blame(RenameFailure)
	case RenameGone:
		s.Rename = RenameVanished
	case RenameStuck:
		return s.renameStuck()
	}
	switch s.Phase {
	case Renaming, Checking, Proving:
		return s.abort()
	case Dropping:
		return s, []Action{InterruptLock} // the lock is not to be held for a RENAME that will not come
	case Withdrawing:
		if s.renamePending() {
			return s, nil // the kill that confirms is on its way
		}
		if s.Lock == LockHeld {
			s.Phase = Releasing
			return s, []Action{Unlock}
		}
		return s.afterRelease()
	case Swapping:
		return s.afterRelease()
	case Killing:
		if s.renamePending() {
			return s, nil
		}
		return s.afterRelease()
	}
	return s, nil // Unlocking, Releasing: the running statement's answer goes on from here
}

// renameStuck: nobody can say that the RENAME is gone. Clients are not made to wait for that knowledge for longer; the
// server and the audit of the stream tell afterwards what happened.
func (s State) renameStuck() (State, []Action) {
	s.Rename = RenameDoubtful
	switch {
	case s.Phase == Withdrawing && s.Lock == LockHeld:
		s.Phase = Releasing
		return s, []Action{Unlock}
	case s.Phase == Withdrawing:
		s.Phase = Killing
		return s, []Action{KillRename}
	case s.Phase == Killing:
		s.Phase = Settling
		return s, []Action{FindTruth}
	}
	return s, nil
}

// lockLost: nothing more can be asked of the locking session. What the server may still have of it is ended, but not
// before the RENAME, which could otherwise go on alone behind writers.
func (s State) lockLost() (State, []Action) {
	if s.Lock >= LockLost || s.Phase == Done || s.Phase == Idle {
		return s, nil
	}
	released := s.Lock == LockReleased
	s.Lock = LockLost
	switch s.Phase {
	case Preparing:
		s.Sentry = SentryDoubtful
	case Unlocking:
		return s, []Action{EndLockSession} // the RENAME stands in the queue: the end of the session is the unlock
	case Clearing:
		s.Sentry = SentryDoubtful
		return s.afterRelease()
	case Withdrawing, Swapping, Killing, Settling:
		return s, nil // what is on its way goes on from here
	}
	if !released {
		s.blame(LockSessionGone)
	}
	return s.afterRelease()
}

func (s State) lockEnded() (State, []Action) {
	s.Lock = LockEnded
	if s.Phase == Unlocking {
		return s.awaitSwap()
	}
	return s.afterRelease()
}

func (s State) settled(e Event) (State, []Action) {
	if e != TruthSwapped && e != TruthNotSwapped && e != TruthUnknown {
		return s, nil
	}
	if s.Rename != RenameSucceeded && s.Rename != RenameFailed { // a late answer of its own counts more
		s.Rename = map[Event]Rename{TruthSwapped: RenameSucceeded, TruthNotSwapped: RenameFailed, TruthUnknown: RenameUnknown}[e]
	}
	return s.afterRelease()
}

func (s *State) blame(cause Cause) {
	if s.Cause == NoCause {
		s.Cause = cause
	}
}
