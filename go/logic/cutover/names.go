package cutover

var phaseNames = [...]string{
	Idle: "idle", Preparing: "preparing", Locking: "lock-wait", Draining: "drain", Renaming: "rename-queue",
	Checking: "check", Dropping: "sentry-drop", Proving: "proof", Unlocking: "release", Swapping: "swap",
	Withdrawing: "withdraw", Releasing: "abort-release", Killing: "kill-rename", Clearing: "clear", Ending: "end-lock-session", Settling: "settle", Done: "done",
}

// String is the phase's name in reports and logs.
func (p Phase) String() string { return phaseNames[p] }

var causeNames = [...]string{
	NoCause: "none", PrepareFailure: "the sentry table could not be made", LockFailure: "the tables could not be locked",
	DeadlinePassed: "the lock timeout passed", Interrupted: "the migration was told to stop",
	LockSessionGone: "the locking session was lost", DrainFailure: "events up to the lock could not be applied",
	RenameFailure: "the RENAME failed", CheckFailure: "the last look before the swap found a reason to wait",
	DropFailure: "the sentry table could not be dropped", SwapOverdue: "the RENAME did not get through after the unlock",
}

// String says the cause in words.
func (c Cause) String() string { return causeNames[c] }

var outcomeNames = [...]string{NotSwapped: "not swapped", Swapped: "swapped", Undetermined: "undetermined"}

// String says the outcome in words.
func (o Outcome) String() string { return outcomeNames[o] }

var eventNames = [...]string{
	Begin: "begin", Prepared: "prepared", PrepareFailed: "prepare failed", LockGranted: "lock granted", LockFailed: "lock failed",
	Drained: "drained", DrainFailed: "drain failed", RenameSeenWaiting: "rename seen waiting", CheckPassed: "check passed",
	CheckFailed: "check failed", SentryGone: "sentry gone", SentryDropFailed: "sentry drop failed", QueueProven: "queue proven",
	Unlocked: "unlocked", RenameDone: "rename done", RenameRefused: "rename refused", RenameLost: "rename lost",
	RenameGone: "rename gone", RenameStuck: "rename stuck", LockLostEvent: "lock session lost", LockSessionEnded: "lock session ended", TimedOut: "timed out",
	Cancelled: "cancelled", TruthSwapped: "truth: swapped", TruthNotSwapped: "truth: not swapped", TruthUnknown: "truth: unknown",
}

// String is the event's name in logs and counterexamples.
func (e Event) String() string { return eventNames[e] }
