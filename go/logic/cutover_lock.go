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

// This file is the only one that locks and unlocks tables for the atomic cut-over and that makes and drops the sentry. All
// of it is done by one session, which lockHandle owns, and in the order that package cutover decides. There is one way
// through an attempt, lockHandle.run (cutover_handle.go), and no way around it.

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

	holdStatement = "DO /* gh-ost */ SLEEP"

	// swapLimit bounds the RENAME after the unlock: readers wait for it.
	swapLimit = time.Second
)

// unlockStatement and dropSentryStatement are the only places where these statements stand. The two-step way, which has
// the same discipline with a lock of its own, sends them too.
const unlockStatement = "UNLOCK /* gh-ost */ TABLES"

func dropSentryStatement(sentry sql.TableName) string {
	return "DROP /* gh-ost */ TABLE " + sentry.String()
}

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
		if err := exec(dropSentryStatement(h.names.old)); err != nil {
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
// queue, so no writer gets in between. The hold is ended as soon as the RENAME is seen there. A process that freezes now is
// idle from the end of the hold on, so less of that is left to it: together it is no more than before.
func (h *lockHandle) dropSentry(limit time.Duration) (cutover.Event, error) {
	h.log.Infof("Dropping magic cut-over table")
	held, end := context.WithCancel(h.work)
	var watching sync.WaitGroup
	watching.Add(1)
	go func() {
		defer watching.Done()
		h.endHoldWhenQueued(held)
	}()
	_, err := h.lock.Exec(h.work, limit, fmt.Sprintf("SET /* gh-ost */ SESSION wait_timeout = %d; %s; %s(%d)",
		idleTimeoutSeconds-holdSeconds, dropSentryStatement(h.names.old), holdStatement, holdSeconds))
	h.sentryDropped.Store(err == nil)
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
	if _, err := h.lock.Exec(h.work, h.timeout+statementLimit, dropSentryStatement(h.names.old)); err != nil {
		return cutover.SentryDropFailed, fmt.Errorf("dropping the sentry table %s: %w", h.names.old, err)
	}
	return cutover.SentryGone, nil
}

func (h *lockHandle) unlock() (cutover.Event, error) {
	h.log.Infof("Releasing lock from %s, %s", h.names.original, h.names.old)
	if _, err := h.lock.Exec(h.work, statementLimit, unlockStatement); err != nil {
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
	// Sessions of a run that has died may still swap the tables: then a wait for the name ends with the original under it.
	if _, err := session.Exec(ctx, 10*time.Second, "LOCK /* gh-ost */ TABLES "+sentry.String()+" WRITE"); mysql.IsNoSuchTable(err) {
		return nil
	} else if err != nil {
		return fmt.Errorf("locking the sentry table %s: %w", sentry, err)
	}
	if comment, exists, err = commentOf(ctx, session, sentry); err != nil || !exists || comment != sentryComment {
		return err
	}
	if _, err := session.Exec(ctx, 10*time.Second, dropSentryStatement(sentry)); err != nil {
		return fmt.Errorf("dropping the sentry table %s: %w", sentry, err)
	}
	return nil
}
