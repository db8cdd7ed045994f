package cutover

// The model of the server and its clients, small enough to be walked through completely. It knows what the protocol
// relies on: who holds and who waits for the metadata locks of the original and the sentry, that a queued exclusive
// request goes before later shared ones, the order in which RENAME takes its names, and what becomes of a statement
// whose client has gone.

// place is where the RENAME is on the server.
type place uint8

const (
	nowhere  place = iota
	sent           // on its way; the server has not read it yet
	atFirst        // waits for the first of the two names in its order
	atSecond       // holds the first name, waits for the second
	swapped
	failed
)

// server is a dialect of the model.
type server struct {
	orphansLive   bool // MySQL: a RENAME whose client has gone waits on. MariaDB ends it
	originalFirst bool // the original's name sorts before the sentry's
}

// world is one state of everything. It is comparable, so that visited states can be remembered.
type world struct {
	machine State

	lockSession bool // the server has the locking session
	lockConn    bool // and its client listens
	locked      bool // it holds original and sentry
	sentry      bool // the sentry exists
	rename      place
	renameConn  bool // the renaming session's client still listens

	running  uint32 // actions on their way to the server, by bit
	observed uint32 // events on their way to the core, by bit

	drained   bool  // every event up to the lock has been applied
	unapplied uint8 // writes to the original that the ghost does not have
	dirty     bool  // the tables were swapped while unapplied > 0

	writes, faults uint8 // budgets
	killedLock     bool  // a fault took the locking session away
	stuck          bool  // a fault kept a kill or the truth from being confirmed
	elsewhere      bool  // a broken protocol's drop of the sentry by another session is under way
}

func bit[T ~uint8](v T) uint32 { return 1 << v }

func (w *world) start(actions []Action) {
	for _, a := range actions {
		w.running |= bit(a)
		if a == IssueRename {
			w.rename, w.renameConn = sent, true
		}
	}
}

func (w *world) observe(events ...Event) {
	for _, e := range events {
		w.observed |= bit(e)
	}
}

func (w world) is(a Action) bool { return w.running&bit(a) != 0 }

// end takes a running action away.
func (w *world) end(a Action) { w.running &^= bit(a) }

// waitsAtOriginal: an exclusive request for the original stands in the queue (or is held).
func (s server) waitsAtOriginal(w world) bool {
	if s.originalFirst {
		return w.rename == atFirst || w.rename == atSecond
	}
	return w.rename == atSecond
}

// moves appends every world that can follow without a fault.
func (s server) moves(w world, add func(string, world)) {
	s.lockSessionMoves(w, add)
	s.renameMoves(w, add)
	s.controlMoves(w, add)
	if w.writes > 0 && !w.locked && !s.waitsAtOriginal(w) && w.rename != swapped {
		n := w
		n.writes--
		n.unapplied++
		add("a client writes to the original", n)
	}
}

func (s server) lockSessionMoves(w world, add func(string, world)) {
	lockActions := []Action{MakeSentry, LockTables, DropSentry, Unlock}
	if w.lockSession && !w.lockConn {
		n := w
		n.lockSession, n.locked, n.killedLock = false, false, true
		for _, a := range lockActions {
			n.end(a)
		}
		add("the server notices that the locking session's client is gone", n)
	}
	if !w.lockSession {
		for _, a := range lockActions {
			if w.is(a) {
				n := w
				n.end(a)
				n.observe(LockLostEvent)
				add("the locking session's statement fails, its connection is gone", n)
			}
		}
	}
	if w.is(EndLockSession) {
		n := w
		n.end(EndLockSession)
		n.lockSession, n.lockConn, n.locked = false, false, false
		for _, a := range lockActions {
			n.end(a)
		}
		n.observe(LockSessionEnded)
		add("what the server has of the locking session is ended", n)
	}
	if !w.lockSession {
		return
	}
	// A statement whose client is gone is carried out all the same, unless the server notices before.
	step := func(a Action, what string, answer Event, change func(*world)) {
		if w.is(a) {
			n := w
			n.end(a)
			change(&n)
			if n.lockConn {
				n.observe(answer)
			}
			add(what, n)
		}
	}
	step(MakeSentry, "sentry is created", Prepared, func(n *world) { n.sentry = true })
	step(LockTables, "lock is granted", LockGranted, func(n *world) { n.locked = true })
	if w.is(Drain) {
		n := w
		n.end(Drain)
		n.unapplied, n.drained = 0, true
		n.observe(Drained)
		add("token is written behind all that was committed; all of it is applied", n)
	}
	if w.is(DropSentry) && (w.locked || w.rename == nowhere || w.rename >= swapped) {
		step(DropSentry, "sentry is dropped", SentryGone, func(n *world) { n.sentry = false })
	} else if w.is(DropSentry) && w.rename != atSecond { // in the RENAME's way, or before it: both happen
		step(DropSentry, "sentry is dropped ahead of the RENAME", SentryGone, func(n *world) { n.sentry = false })
	}
	step(Unlock, "tables are unlocked", Unlocked, func(n *world) { n.locked = false })
	if w.is(InterruptLock) {
		n := w
		n.end(InterruptLock)
		for a, e := range map[Action]Event{LockTables: LockFailed, DropSentry: SentryDropFailed} {
			if n.is(a) && n.lockConn {
				n.end(a)
				n.observe(e)
			}
		}
		add("the locking session's statement is interrupted", n)
		if w.is(DropSentry) && w.lockConn {
			n.sentry = false
			add("the locking session is interrupted behind the sentry's drop", n)
		}
	}
}

func (s server) renameMoves(w world, add func(string, world)) {
	n := w
	answer := func(p place, e Event) {
		n.rename = p
		if n.renameConn {
			n.observe(e)
		}
	}
	sentryFree, originalFree := !(w.locked && w.sentry), !w.locked
	firstFree, secondFree := sentryFree, originalFree
	if s.originalFirst {
		firstFree, secondFree = originalFree, sentryFree
	}
	switch {
	case w.rename == sent:
		n.rename = atFirst
		add("RENAME reaches the server", n)
	case w.rename == atFirst && firstFree:
		n.rename = atSecond
		add("RENAME takes its first name", n)
	case w.rename == atSecond && secondFree && w.sentry:
		answer(failed, RenameRefused)
		add("RENAME fails: the sentry's name is taken", n)
	case w.rename == atSecond && secondFree:
		n.dirty = w.unapplied > 0
		answer(swapped, RenameDone)
		add("RENAME swaps the tables", n)
	}
}

func (s server) controlMoves(w world, add func(string, world)) {
	look := func(a Action, seen bool, e Event) {
		if !w.is(a) {
			return
		}
		n := w
		n.end(a)
		switch {
		case !w.lockSession:
			n.observe(LockLostEvent)
			add("a look finds the locking session gone", n)
		case seen:
			n.observe(e)
			add("a look finds what it waits for", n)
		}
	}
	waits := w.rename == atFirst || w.rename == atSecond
	look(AwaitRename, waits, RenameSeenWaiting)
	look(CheckBeforeDrop, true, CheckPassed)
	look(ProveQueued, waits && s.waitsAtOriginal(w), QueueProven)
	if w.is(KillRename) {
		n := w
		n.end(KillRename)
		if n.rename != swapped && n.rename != nowhere {
			n.rename = failed
		}
		n.observe(RenameGone)
		add("RENAME is killed and confirmed gone", n)
	}
	if w.is(FindTruth) {
		n := w
		n.end(FindTruth)
		if n.rename != swapped {
			n.rename = failed
		}
		if w.rename == swapped {
			n.observe(TruthSwapped)
		} else {
			n.observe(TruthNotSwapped)
		}
		add("the server is asked which table stands", n)
	}
	if w.elsewhere && !w.locked {
		n := w
		n.elsewhere, n.sentry = false, false
		n.observe(SentryGone)
		add("another session drops the sentry", n)
	}
}

// faultMoves appends every world that one fault leads to.
func (s server) faultMoves(w world, add func(string, world)) {
	if w.faults == 0 || w.machine.Done() {
		return
	}
	w.faults--
	n := w
	n.observe(Cancelled)
	add("FAULT the context ends", n)

	if p := w.machine.Phase; p >= Locking && p <= Proving || p == Swapping {
		n = w
		n.observe(TimedOut)
		add("FAULT time is up", n)
	}
	if w.lockSession && w.machine.Phase > Idle {
		n = w
		n.lockSession, n.lockConn, n.locked, n.killedLock = false, false, false, true
		n.observe(LockLostEvent)
		add("FAULT the locking session is killed", n)
	}
	if w.lockConn && w.machine.Phase > Idle {
		n = w
		n.lockConn = false
		n.observe(LockLostEvent)
		add("FAULT the locking session's connection is lost, and the server has not noticed", n)
	}
	if w.rename >= atFirst && w.rename <= atSecond {
		n = w
		n.rename = failed
		if n.renameConn {
			n.observe(RenameRefused)
		}
		add("FAULT the RENAME is killed by somebody", n)
	}
	if w.rename != nowhere && w.renameConn {
		n = w
		n.renameConn = false
		n.observed &^= bit(RenameDone) | bit(RenameRefused)
		n.observe(RenameLost)
		if !s.orphansLive && n.rename < swapped {
			n.rename = failed
		}
		add("FAULT the renaming session's connection is lost", n)
	}
	for _, f := range []struct {
		a Action
		e Event
	}{{MakeSentry, PrepareFailed}, {LockTables, LockFailed}, {Drain, DrainFailed}, {CheckBeforeDrop, CheckFailed}, {DropSentry, SentryDropFailed}} {
		if w.is(f.a) {
			n = w
			n.end(f.a)
			n.observe(f.e)
			add("FAULT an action fails", n)
		}
	}
	for _, f := range []struct {
		a Action
		e Event
	}{{KillRename, RenameStuck}, {EndLockSession, LockSessionEnded}, {FindTruth, TruthUnknown}} {
		if w.is(f.a) {
			n = w
			n.stuck = true
			n.end(f.a)
			n.observe(f.e)
			add("FAULT the server cannot be reached to kill or to ask", n)
		}
	}
}
