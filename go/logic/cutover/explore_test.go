package cutover

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// protocol is the core under test: the real one, or one broken on purpose.
type protocol func(w *world, e Event) []Action

func realProtocol(w *world, e Event) []Action {
	var actions []Action
	w.machine, actions = w.machine.Step(e)
	return actions
}

// counterexample is a way to a state that must not be.
type counterexample struct {
	violated string
	steps    []string
}

func (c *counterexample) String() string {
	if c == nil {
		return "none"
	}
	return fmt.Sprintf("%s:\n  %s", c.violated, strings.Join(c.steps, "\n  "))
}

type explorer struct {
	server   server
	protocol protocol
	seen     map[world]struct{}
	ended    map[Outcome]int
	found    *counterexample
}

// explore walks every interleaving and stops at the first state that must not be.
func explore(s server, p protocol, writes, faults uint8) *explorer {
	x := &explorer{server: s, protocol: p, seen: map[world]struct{}{}, ended: map[Outcome]int{}}
	w := world{lockSession: true, lockConn: true, writes: writes, faults: faults}
	w.start(p(&w, Begin))
	x.visit(w, nil)
	return x
}

type breadcrumb struct {
	before *breadcrumb
	what   string
}

func (b *breadcrumb) list() (steps []string) {
	for ; b != nil; b = b.before {
		steps = append([]string{b.what}, steps...)
	}
	return steps
}

func (x *explorer) visit(w world, path *breadcrumb) {
	if _, known := x.seen[w]; known || x.found != nil {
		return
	}
	x.seen[w] = struct{}{}
	if violated := x.violation(w); violated != "" {
		x.found = &counterexample{violated, path.list()}
		return
	}
	if w.machine.Done() {
		x.ended[w.machine.Outcome()]++
		return // what the server does alone after the end is checked by violation: nothing is left that could act
	}
	next := 0
	add := func(what string, n world) { next++; x.visit(n, &breadcrumb{path, what}) }
	for e := Begin; e <= TruthUnknown; e++ {
		if w.observed&bit(e) != 0 {
			n := w
			n.observed &^= bit(e)
			n.start(x.protocol(&n, e))
			add(fmt.Sprintf("core hears %q in %s, goes to %s", e, w.machine.Phase, n.machine.Phase), n)
		}
	}
	x.server.moves(w, add)
	if next == 0 && !awaitsClock(w) {
		x.found = &counterexample{"the attempt never ends", path.list()}
		return
	}
	x.server.faultMoves(w, add)
}

// awaitsClock: nothing moves, but a timer of the attempt is armed, so time will.
func awaitsClock(w world) bool {
	p := w.machine.Phase
	return (p >= Draining && p <= Checking || p == Proving) && w.machine.Cause == NoCause && !w.elsewhere
}

func (x *explorer) violation(w world) string {
	m := w.machine
	excused := w.killedLock || w.stuck // then the audit of the stream finds it, and the outcome must still be true
	switch {
	case w.rename == swapped && !w.drained:
		return "swapped although not every event up to the lock was applied"
	case w.dirty && !excused:
		return "a write was lost"
	case !m.Done():
		return ""
	case w.locked && !w.stuck:
		return "the attempt has ended and its lock is held"
	case w.rename >= sent && w.rename <= atSecond && !w.stuck:
		return "the attempt has ended and its RENAME may still run"
	case m.Outcome() == Undetermined && !w.stuck:
		return "the outcome is not known although the server could be asked"
	case m.Outcome() != Undetermined && (m.Outcome() == Swapped) != (w.rename == swapped):
		return "the reported outcome is not the true one"
	case w.sentry && !m.SentryLeft():
		return "a sentry is left behind and nobody says so"
	}
	return ""
}

var servers = map[string]server{
	"MySQL":                                 {orphansLive: true},
	"MySQL, original sorts before sentry":   {orphansLive: true, originalFirst: true},
	"MariaDB":                               {},
	"MariaDB, original sorts before sentry": {originalFirst: true},
}

func TestNoInterleavingLosesAWriteOrKeepsALockOrMisreports(t *testing.T) {
	for name, s := range servers {
		t.Run(name, func(t *testing.T) {
			x := explore(s, realProtocol, 2, 3)
			require.Nil(t, x.found, x.found.String())
			assert.Positive(t, x.ended[Swapped], "the exploration must reach successful attempts")
			assert.Positive(t, x.ended[NotSwapped], "and failed ones")
			assert.Greater(t, len(x.seen), 10_000)
			t.Logf("%d states, ends: %v", len(x.seen), x.ended)
		})
	}
}

func TestWithoutFaultsEveryAttemptSwaps(t *testing.T) {
	for name, s := range servers {
		t.Run(name, func(t *testing.T) {
			x := explore(s, realProtocol, 3, 0)
			require.Nil(t, x.found, x.found.String())
			assert.Equal(t, 0, x.ended[NotSwapped]+x.ended[Undetermined])
		})
	}
}

// A deferred clean-up on another connection drops the sentry, and the locking session unlocks when it has.
func deferredDropElsewhere(w *world, e Event) []Action {
	held := w.machine.Lock == LockHeld
	actions := realProtocol(w, e)
	if held && w.machine.Phase == Releasing && w.sentry && len(actions) == 1 && actions[0] == Unlock {
		w.elsewhere = true
		w.machine.Phase = Dropping // waits for SentryGone, then unlocks
		return nil
	}
	return actions
}

// The tables are unlocked as soon as the sentry is dropped.
func unlockWithoutProof(w *world, e Event) []Action {
	actions := realProtocol(w, e)
	if w.machine.Phase == Proving {
		return realProtocol(w, QueueProven)
	}
	return actions
}

// The end of the context cancels the RENAME at the client, which takes that for the end of the RENAME.
func clientContextCancelsRename(s server) protocol {
	return func(w *world, e Event) []Action {
		if e == Cancelled && w.machine.renamePending() && w.renameConn {
			w.renameConn = false
			w.observed &^= bit(RenameDone) | bit(RenameRefused)
			if !s.orphansLive && w.rename < swapped {
				w.rename = failed
			}
			return realProtocol(w, RenameRefused)
		}
		return realProtocol(w, e)
	}
}

// On abort the sentry is dropped while the RENAME waits, then the tables are unlocked.
func dropBeforeUnlockOnAbort(w *world, e Event) []Action {
	before := w.machine
	actions := realProtocol(w, e)
	if before.Phase != Dropping && w.machine.Phase == Releasing && w.sentry && before.renamePending() {
		w.machine.Phase, w.machine.Sentry = Dropping, SentryDoubtful
		return []Action{DropSentry}
	}
	if before.Phase == Dropping && w.machine.Phase == Withdrawing {
		w.machine.Phase = Releasing
		return []Action{Unlock}
	}
	return actions
}

// A locking session whose connection is lost counts as ended.
func lostMeansEnded(w *world, e Event) []Action {
	actions := realProtocol(w, e)
	if len(actions) == 1 && actions[0] == EndLockSession {
		return realProtocol(w, LockSessionEnded)
	}
	return actions
}

// What the server has of a lost locking session is ended at once, whatever the RENAME does.
func endLockSessionBeforeRename(w *world, e Event) []Action {
	actions := realProtocol(w, e)
	if e == LockLostEvent && len(actions) == 1 && actions[0] == KillRename {
		w.lockSession, w.locked = false, false
	}
	return actions
}

// A failed drop of the sentry is taken for one that was not done.
func trustFailedDrop(w *world, e Event) []Action {
	if w.machine.Phase == Dropping && e == SentryDropFailed {
		w.machine.Sentry = SentryStanding
	}
	return realProtocol(w, e)
}

func TestTheModelIsSharpEnoughToFindEachOldFault(t *testing.T) {
	mysql := servers["MySQL"]
	for name, broken := range map[string]protocol{
		"deferred drop on another connection":         deferredDropElsewhere,
		"unlock without the proof":                    unlockWithoutProof,
		"client context cancels the RENAME":           clientContextCancelsRename(mysql),
		"a failed drop taken for none":                trustFailedDrop,
		"drop before unlock on abort, RENAME pending": dropBeforeUnlockOnAbort,
		"a lost locking session counts as ended":      lostMeansEnded,
		"lost locking session ended before RENAME":    endLockSessionBeforeRename,
	} {
		t.Run(name, func(t *testing.T) {
			x := explore(mysql, broken, 2, 2)
			require.NotNil(t, x.found)
			t.Log(x.found)
		})
	}
}
