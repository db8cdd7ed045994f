package logic

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/github/gh-ost/go/logic/cutover"
	"github.com/github/gh-ost/go/mysql"
	"github.com/github/gh-ost/go/sql"
)

// This file is the only one that locks and unlocks tables for the atomic cut-over and that makes the sentry. All of it is done by one
// session, which lockHandle owns, and in the order that package cutover decides. There is one way through an attempt,
// lockHandle.run, and no way around it.

const (
	// sentryComment is the comment by which a sentry is known as ours.
	sentryComment = "ghost-cut-over-sentry"

	// keepAliveInterval feeds the server's idle timeout of the locking session. If this process dies, freezes or is cut
	// off, the feeding ends and the server frees the lock by itself after idleTimeoutSeconds.
	keepAliveInterval  = 500 * time.Millisecond
	idleTimeoutSeconds = 3

	// statementLimit bounds the locking session's short statements. What the server makes them wait for is bounded by
	// the session's lock_wait_timeout; this is for a network that does not answer.
	statementLimit = time.Second

	// lockGrace is how much later than the server this side gives up waiting for the lock.
	lockGrace = 200 * time.Millisecond

	// interruptInterval is the pause between two tries to end the locking session's statement.
	interruptInterval = 20 * time.Millisecond

	// holdSeconds is how long the server holds the lock by itself behind the sentry's drop, if nobody ends that.
	holdSeconds = 1

	// swapLimit bounds the RENAME after the unlock: readers wait for it.
	swapLimit = time.Second
)

// ForeignSentryError refuses to cut over because a table stands under the name that the original will get, and it is
// not a sentry of ours.
type ForeignSentryError struct{ Table sql.TableName }

func (e *ForeignSentryError) Error() string {
	return fmt.Sprintf("the table %s exists and is not ours: rename or drop it, the original table will get its name", e.Table)
}

// AtomicCutOverMagicLock carries out one attempt at the swap, from the lock to its release, and returns when both its
// sessions are at rest. It is scoped by ctx: when that ends, for whatever reason, the attempt is given up by the same
// path as after any failure, unless the unlock of a commit is already on its way. The error says why an attempt did not
// swap, or why its outcome is unknown; it is nil exactly if the outcome is Swapped.
func (apl *Applier) AtomicCutOverMagicLock(ctx context.Context, attempt *cutOverAttempt) (cutover.State, error) {
	handle := &lockHandle{
		cutOverAttempt: attempt,
		events:         make(chan cutover.Event),
		statements:     make(chan func() (cutover.Event, error), 1),
		reads:          make(chan func() error),
		deadline:       time.NewTimer(time.Hour),
	}
	attempt.lend = handle.lendLockSession
	return handle.run(ctx)
}

// lockHandle is one attempt's hold on the original and the sentry table. It owns the locking session: no other code
// uses that connection.
type lockHandle struct {
	*cutOverAttempt

	state      cutover.State
	events     chan cutover.Event                 // what was observed; read by run only
	statements chan func() (cutover.Event, error) // what the locking session is to do next; one at a time
	reads      chan func() error                  // what it may do in between
	deadline   *time.Timer                        // of the phase that armed it last
	lockEnds   time.Time                          // when the lock has been held for long enough
	work       context.Context                    //nolint:containedctx // of all workers; ends with the attempt
	phase      context.Context                    //nolint:containedctx // of the workers that only the current phase needs
	leavePhase context.CancelFunc
	workers    sync.WaitGroup

	failureMutex sync.Mutex
	failure      error // the first, which explains the state's cause
}

func (h *lockHandle) run(ctx context.Context) (cutover.State, error) {
	var end context.CancelFunc
	// Cancelling a statement would close its connection, and the server would go on with it unseen. So the end of ctx
	// is an event like others, and what has been begun is ended in order.
	h.work, end = context.WithCancel(context.WithoutCancel(ctx))
	h.phase, h.leavePhase = context.WithCancel(h.work)
	h.workers.Add(1)
	go h.serveLockSession()

	h.step(cutover.Begin)
	interrupted := ctx.Done()
	for !h.state.Done() {
		select {
		case event := <-h.events:
			h.step(event)
		case <-h.deadline.C:
			h.step(cutover.TimedOut)
		case <-interrupted:
			interrupted = nil
			h.step(cutover.Cancelled)
		}
	}

	h.deadline.Stop()
	h.leavePhase()
	end()
	close(h.statements)
	h.workers.Wait()
	return h.state, h.err()
}

func (h *lockHandle) step(event cutover.Event) {
	before := h.state.Phase
	var actions []cutover.Action
	h.state, actions = h.state.Step(event)
	h.log.Debugf("cut-over: %s in phase %s leads to %s", event, before, h.state.Phase)
	if h.state.Phase != before {
		h.leavePhase()
		h.phase, h.leavePhase = context.WithCancel(h.work)
		h.report.enter(h.state.Phase, h.state.Holding())
		h.pass(h.state.Phase.String())
	}
	for _, action := range actions {
		h.perform(action)
	}
}

func (h *lockHandle) perform(action cutover.Action) {
	switch action {
	case cutover.MakeSentry:
		h.statements <- h.makeSentry
	case cutover.LockTables:
		h.deadline.Reset(2 * (h.timeout + lockGrace)) // for each of two ways
		h.statements <- h.lockTables
	case cutover.Drain:
		h.lockEnds = time.Now().Add(h.timeout)
		h.deadline.Reset(h.timeout)
		h.watch(h.phase, h.drainEvents)
	case cutover.IssueRename:
		h.watch(h.work, h.issueRename)
	case cutover.AwaitRename:
		h.watch(h.phase, h.awaitRename)
	case cutover.CheckBeforeDrop:
		h.watch(h.phase, h.checkBeforeDrop)
	case cutover.DropSentry:
		if h.state.Lock != cutover.LockHeld {
			h.statements <- h.clearSentry
			break
		}
		limit := time.Until(h.lockEnds) + lockGrace // clients wait
		h.statements <- func() (cutover.Event, error) { return h.dropSentry(limit) }
	case cutover.ProveQueued:
		h.watch(h.phase, h.proveQueued)
	case cutover.Unlock:
		h.statements <- h.unlock
	case cutover.AwaitSwap:
		h.deadline.Reset(swapLimit)
	case cutover.InterruptLock:
		h.watch(h.phase, h.interruptLock)
	case cutover.KillRename:
		h.watch(h.work, h.killRename)
	case cutover.EndLockSession:
		h.watch(h.work, h.endLockSession)
	case cutover.FindTruth:
		h.watch(h.work, h.findTruth)
	}
}

// watch runs a worker that observes something and reports it. ok is false if there is nothing to report any more.
func (h *lockHandle) watch(ctx context.Context, observe func(ctx context.Context) (event cutover.Event, ok bool)) {
	h.workers.Add(1)
	go func() {
		defer h.workers.Done()
		if event, ok := observe(ctx); ok {
			h.observed(event)
		}
	}()
}

// observed reports an event, unless the attempt has ended.
func (h *lockHandle) observed(event cutover.Event) {
	select {
	case h.events <- event:
	case <-h.work.Done():
	}
}

// serveLockSession is the one goroutine that uses the locking session: it does what run asks for, and feeds the
// server's idle timeout in between. A session that does not answer is lost.
func (h *lockHandle) serveLockSession() {
	defer h.workers.Done()
	keepAlive := time.NewTicker(keepAliveInterval)
	defer keepAlive.Stop()
	lost := false
	for {
		select {
		case statement, more := <-h.statements:
			if !more {
				return
			}
			event, err := statement()
			if err != nil {
				h.blame(err)
				if sessionLost(err) {
					lost, event = true, cutover.LockLostEvent
				}
			}
			h.observed(event)
		case <-keepAlive.C:
			if lost {
				continue
			}
			if _, err := h.lock.Exec(h.work, statementLimit, "DO /* gh-ost */ 1"); err != nil && h.work.Err() == nil {
				lost = true
				h.blame(fmt.Errorf("keeping the locking session alive: %w", err))
				h.observed(cutover.LockLostEvent)
			}
		case read := <-h.reads:
			if err := read(); sessionLost(err) {
				lost = true
				h.blame(err)
				h.observed(cutover.LockLostEvent)
			}
		}
	}
}

// lendLockSession lets the one goroutine that uses the locking session read by it.
func (h *lockHandle) lendLockSession(ctx context.Context, use func(*mysql.Session) error) error {
	answer := make(chan error, 1)
	read := func() error {
		err := use(h.lock)
		answer <- err
		return err
	}
	select {
	case h.reads <- read:
		return <-answer
	case <-ctx.Done():
		return ctx.Err()
	case <-h.work.Done():
		return h.work.Err()
	}
}

func (h *lockHandle) makeSentry() (cutover.Event, error) {
	failed := func(err error) (cutover.Event, error) {
		return cutover.PrepareFailed, fmt.Errorf("preparing the locking session: %w", err)
	}
	exec := func(query string, args ...any) error {
		_, err := h.lock.Exec(h.work, h.timeout+lockGrace+statementLimit, query, args...)
		return err
	}

	h.log.Infof("Grabbing voluntary lock: %s", h.sessionLock())
	var granted int
	if err := h.lock.QueryRow(h.work, statementLimit, []any{&granted}, "SELECT /* gh-ost */ GET_LOCK(?, 0)", h.sessionLock()); err != nil {
		return failed(err)
	}
	if granted != 1 {
		return failed(fmt.Errorf("another session holds the lock %s", h.sessionLock()))
	}
	seconds := int(h.timeout / time.Second)
	h.log.Infof("Setting LOCK timeout as %d seconds", seconds)
	if err := exec("SET /* gh-ost */ SESSION lock_wait_timeout = ?", seconds); err != nil {
		return failed(err)
	}
	h.log.Infof("Setting cut-over idle timeout as %d seconds", idleTimeoutSeconds)
	if err := exec("SET /* gh-ost */ SESSION wait_timeout = ?", idleTimeoutSeconds); err != nil {
		return failed(err)
	}
	h.log.Infof("Looking for magic cut-over table")
	comment, exists, err := commentOf(h.work, h.lock, h.names.old)
	if err != nil {
		return failed(err)
	}
	if exists && comment != sentryComment {
		return cutover.PrepareFailed, &ForeignSentryError{h.names.old}
	}
	if exists {
		h.log.Infof("Dropping magic cut-over table %s, which an earlier attempt has left", h.names.old)
		if err := exec("DROP /* gh-ost */ TABLE IF EXISTS " + h.names.old.String()); err != nil {
			return failed(err)
		}
	}
	h.log.Infof("Creating magic cut-over table %s", h.names.old)
	if err := exec(fmt.Sprintf("CREATE /* gh-ost */ TABLE %s (id int AUTO_INCREMENT PRIMARY KEY) ENGINE=%s COMMENT='%s'",
		h.names.old, h.engine, sentryComment)); err != nil {
		return failed(err)
	}
	h.log.Infof("Magic cut-over table created")
	return cutover.Prepared, nil
}

// lockTables locks the original against writes only, if it can: reads go on while events drain, and RENAME queues behind
// a read lock as well as behind a write lock. But writers do not queue behind a session that waits for a read lock: where
// their transactions overlap all the time, it would wait for ever, at no cost to anybody. Then a write lock is asked for,
// which they do queue behind.
func (h *lockHandle) lockTables() (cutover.Event, error) {
	if err := h.mayLock(); err != nil {
		return cutover.LockFailed, err
	}
	h.log.Infof("Locking %s, %s", h.names.original, h.names.old)
	err := h.lockOriginal("READ")
	if mysql.IsLockWaitTimeout(err) {
		h.log.Infof("Writers left no gap for a lock that lets reads pass. Locking %s against reads too", h.names.original)
		h.report.holdReaders()
		if err := h.lastLook.beforeLockingReaders(h.work); err != nil {
			return cutover.LockFailed, err
		}
		err = h.lockOriginal("WRITE")
	}
	if err != nil {
		return cutover.LockFailed, fmt.Errorf("locking %s: %w", h.names.original, err)
	}
	h.log.Infof("Tables locked")
	h.log.Infof("Session locking original & magic tables is %d", h.lock.ID())
	return cutover.LockGranted, nil
}

func (h *lockHandle) lockOriginal(mode string) error {
	_, err := h.lock.Exec(h.work, h.timeout+lockGrace+statementLimit,
		fmt.Sprintf("LOCK /* gh-ost */ TABLES %s %s, %s WRITE", h.names.original, mode, h.names.old))
	return err
}

// dropSentry drops the sentry and has the server hold the lock by itself for a while, in one request: if this process
// dies right after the drop, or is cut off, the session's end frees the original only when the RENAME has long been in its
// queue, so no writer gets in between. The hold is ended as soon as the RENAME is seen there.
func (h *lockHandle) dropSentry(limit time.Duration) (cutover.Event, error) {
	h.log.Infof("Dropping magic cut-over table")
	held, end := context.WithCancel(h.work)
	var watching sync.WaitGroup
	watching.Add(1)
	go func() {
		defer watching.Done()
		h.endHoldWhenQueued(held)
	}()
	_, err := h.lock.Exec(h.work, limit, fmt.Sprintf("DROP /* gh-ost */ TABLE %s; DO /* gh-ost */ SLEEP(%d)", h.names.old, holdSeconds))
	end()
	watching.Wait()
	if err != nil {
		return cutover.SentryDropFailed, fmt.Errorf("dropping the sentry table %s: %w", h.names.old, err)
	}
	return cutover.SentryGone, nil
}

// clearSentry drops the sentry of an attempt that was given up. Nobody waits for it.
func (h *lockHandle) clearSentry() (cutover.Event, error) {
	h.log.Infof("Dropping magic cut-over table")
	if _, err := h.lock.Exec(h.work, h.timeout+statementLimit, "DROP /* gh-ost */ TABLE "+h.names.old.String()); err != nil {
		return cutover.SentryDropFailed, fmt.Errorf("dropping the sentry table %s: %w", h.names.old, err)
	}
	return cutover.SentryGone, nil
}

func (h *lockHandle) unlock() (cutover.Event, error) {
	h.log.Infof("Releasing lock from %s, %s", h.names.original, h.names.old)
	if _, err := h.lock.Exec(h.work, statementLimit, "UNLOCK /* gh-ost */ TABLES"); err != nil {
		// Whatever the server answered, this session must not go on holding the lock.
		_ = h.lock.Close()
		return cutover.LockLostEvent, fmt.Errorf("unlocking %s: %w", h.names.original, err)
	}
	h.log.Infof("Tables unlocked")
	return cutover.Unlocked, nil
}

// interruptLock ends the statement that the locking session is waiting in, whose own error goes on from here. It tries
// again until it has worked. The session itself must live: its end would free the original before the RENAME is gone.
func (h *lockHandle) interruptLock(ctx context.Context) (cutover.Event, bool) {
	for {
		if err := h.control.kill(ctx, h.sessionLock()); err != nil {
			h.log.Debugf("interrupting the locking session: %v", err)
		}
		if pause(ctx, interruptInterval) != nil {
			return 0, false // the phase is left
		}
	}
}

// endLockSession ends what the server may still have of the locking session, whose connection is lost to us: a lock that
// it holds, a statement that it waits in or that is on its way. A server out of reach ends an idle session by itself.
func (h *lockHandle) endLockSession(ctx context.Context) (cutover.Event, bool) {
	started := time.Now()
	for {
		err := h.control.killConnection(ctx, h.sessionLock())
		if err == nil {
			var gone bool
			if gone, err = h.control.isFree(ctx, h.sessionLock()); err == nil && gone {
				return cutover.LockSessionEnded, true
			}
		}
		if time.Since(started) > h.timeout+idleTimeoutSeconds*time.Second {
			h.blame(fmt.Errorf("the locking session (connection %d) could not be confirmed to be gone: %w", h.lock.ID(), err))
			return cutover.LockSessionEnded, true
		}
		if pause(ctx, lookInterval) != nil {
			return 0, false
		}
	}
}

// sessionLost tells whether the error means that nothing more can be asked of the session: its connection broke, or the
// server did not answer in time.
func sessionLost(err error) bool {
	var limit *mysql.LimitError
	return mysql.IsConnectionLost(err) || errors.As(err, &limit)
}

// sessionLock is the name of the server-side lock by which others can see that the locking session lives.
func (h *lockHandle) sessionLock() string { return sessionLockName(h.lock.ID()) }

func sessionLockName(connectionID int64) string { return fmt.Sprintf("gh-ost.%d.lock", connectionID) }

func (h *lockHandle) blame(err error) {
	h.failureMutex.Lock()
	defer h.failureMutex.Unlock()
	if h.failure == nil {
		h.failure = err
	}
}

// err explains an attempt that did not swap.
func (h *lockHandle) err() error {
	h.failureMutex.Lock()
	defer h.failureMutex.Unlock()
	switch {
	case h.state.Outcome() == cutover.Swapped:
		return nil
	case h.state.Outcome() == cutover.Undetermined:
		return errors.Join(errOutcomeUnknown, h.failure)
	case h.state.Cause == cutover.DeadlinePassed && h.failure == nil && h.delay.Load() != nil:
		return fmt.Errorf("%s: %w", h.state.Cause, *h.delay.Load())
	case h.state.Cause == cutover.DeadlinePassed && h.failure == nil:
		return errLockTimeout
	case h.failure == nil:
		return errors.New(h.state.Cause.String())
	}
	return fmt.Errorf("%s: %w", h.state.Cause, h.failure)
}

// clearSentry drops the sentry that a lost locking session may have left behind, if it is one of ours.
func (apl *Applier) clearSentry(ctx context.Context, sentry sql.TableName) error {
	session, err := mysql.NewSession(ctx, apl.sessions)
	if err != nil {
		return fmt.Errorf("opening a session to drop the sentry table %s: %w", sentry, err)
	}
	defer session.Close() // nothing depends on it any more
	comment, exists, err := commentOf(ctx, session, sentry)
	if err != nil || !exists || comment != sentryComment {
		return err
	}
	if _, err := session.Exec(ctx, statementLimit, "SET /* gh-ost */ SESSION lock_wait_timeout = 5"); err != nil {
		return err
	}
	if _, err := session.Exec(ctx, 10*time.Second, "DROP /* gh-ost */ TABLE "+sentry.String()); err != nil {
		return fmt.Errorf("dropping the sentry table %s: %w", sentry, err)
	}
	return nil
}
