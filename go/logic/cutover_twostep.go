package logic

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/github/gh-ost/go/logic/cutover"
	"github.com/github/gh-ost/go/mysql"
	"github.com/github/gh-ost/go/sql"
)

// The two-step way to swap, for those who ask for it: the locking session itself renames the original away, and another
// session the ghost to its place. In between there is no table of that name. The rules are those of the atomic way:
//
//   - One session owns the lock, and one path, twoStepSwap.release, ends every attempt: unlock, the other session's RENAME
//     gone for sure, the truth from the server, and the original back under its name if it had lost it.
//   - The ghost's RENAME is queued behind the lock before the original is renamed. So the server itself goes on to it,
//     before any client that waits, also if this process dies in between; and while the original has its name, that RENAME
//     can only fail.
//   - Nothing can be written to the original after its events have been waited for: the lock is on it until it has lost its
//     name, and if the lock is lost the rename, which is the same session's, is not carried out.

// pointOriginalRenamed is passed when the original has lost its name.
const pointOriginalRenamed = "original-renamed"

// errTableMissing ends the migration: clients have no table.
var errTableMissing = errors.New("the original table has been renamed away and nothing stands under its name")

// twoStepCutOver makes one attempt in two steps.
func (mgtr *Migrator) twoStepCutOver(ctx context.Context, report *CutOverReport) error {
	return mgtr.attemptSwap(ctx, report, mgtr.swapInTwoSteps)
}

// swapInTwoSteps carries out one attempt, from the lock to its release, and returns when both its sessions are at rest.
func (mgtr *Migrator) swapInTwoSteps(ctx context.Context, attempt *cutOverAttempt) (cutover.State, error) {
	if proof, byOrder := attempt.proof.(nameOrderProof); byOrder && proof.predecessor != nil && strings.EqualFold(proof.predecessor.Name, attempt.names.old.Name) {
		names := attempt.names
		names.old = names.ghost // the ghost's RENAME does not take the old table's name
		attempt.proof = newNameOrderProof(attempt.control, names, attempt.rename.ID())
	}
	swap := &twoStepSwap{cutOverAttempt: attempt, mark: mgtr.streamer.OwnMark()}
	attempt.lend = swap.lendLockSession
	return swap.run(ctx)
}

// twoStepSwap is one attempt. It owns the locking session.
type twoStepSwap struct {
	*cutOverAttempt
	mark string // makes the stream pass over the statements that it bears

	using  sync.Mutex // held while the locking session is used
	locked bool       // LOCK TABLES was sent
	queued bool       // the ghost's RENAME was sent
	left   bool       // the original's rename was sent
	answer error      // of the ghost's RENAME; valid once renameAnswered is closed
}

func (s *twoStepSwap) run(ctx context.Context) (cutover.State, error) {
	alive, lose := context.WithCancelCause(ctx)
	fed := s.keepAlive(alive, lose)
	err := s.attempt(alive)
	if cause := context.Cause(alive); err != nil && cause != nil {
		err = cause
	}
	lose(nil)
	<-fed
	state, releaseErr := s.release(context.WithoutCancel(ctx), err)
	if s.queued {
		<-s.renameAnswered // or given up, by the statement's own limit
	}
	s.enter(cutover.Done, false)
	if state.Outcome() == cutover.Swapped {
		return state, nil
	}
	return state, errors.Join(releaseErr, err)
}

func (s *twoStepSwap) enter(phase cutover.Phase, holding bool) {
	s.report.enter(phase, holding)
	s.pass(phase.String())
}

// keepAlive feeds the server's idle timeout of the locking session until ctx ends, and ends it itself when the session is
// lost. The returned channel is closed when the session is not touched any more.
func (s *twoStepSwap) keepAlive(ctx context.Context, lose context.CancelCauseFunc) (ended <-chan struct{}) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		for pause(ctx, keepAliveInterval) == nil {
			if !s.using.TryLock() {
				continue // it is being used, which feeds it as well
			}
			_, err := s.lock.Exec(ctx, statementLimit, "DO /* gh-ost */ 1")
			s.using.Unlock()
			if err != nil {
				lose(fmt.Errorf("keeping the locking session alive: %w", err))
			}
		}
	}()
	return done
}

// exec runs a statement on the locking session.
func (s *twoStepSwap) exec(ctx context.Context, limit time.Duration, query string, args ...any) error {
	s.using.Lock()
	defer s.using.Unlock()
	_, err := s.lock.Exec(ctx, limit, query, args...)
	return err
}

// lendLockSession lets somebody else read by the locking session.
func (s *twoStepSwap) lendLockSession(_ context.Context, use func(*mysql.Session) error) error {
	s.using.Lock()
	defer s.using.Unlock()
	return use(s.lock)
}

// attempt goes from the lock to the swap. Whatever it returns, release comes next.
func (s *twoStepSwap) attempt(ctx context.Context) error {
	s.enter(cutover.Preparing, false)
	if err := s.prepare(ctx); err != nil {
		return err
	}
	s.enter(cutover.Locking, true)
	if err := s.lockTable(ctx); err != nil {
		return err
	}
	s.report.holdsReaders()
	s.enter(cutover.Draining, true)
	ctx, cancel := context.WithTimeoutCause(ctx, s.timeout, errLockTimeout)
	defer cancel()
	for _, step := range []func(context.Context) error{s.drainUpToLock, s.queueGhost, s.swap} {
		if err := step(ctx); err != nil {
			if ctx.Err() != nil && !s.left {
				return context.Cause(ctx)
			}
			return err
		}
	}
	return nil
}

func (s *twoStepSwap) prepare(ctx context.Context) error {
	limit := s.timeout + lockGrace + statementLimit
	if err := s.takeSessionLock(ctx); err != nil {
		return fmt.Errorf("preparing the locking session: %w", err)
	}
	if err := s.exec(ctx, limit, "SET /* gh-ost */ SESSION lock_wait_timeout = ?", int(s.timeout/time.Second)); err != nil {
		return fmt.Errorf("preparing the locking session: %w", err)
	}
	if err := s.exec(ctx, limit, "SET /* gh-ost */ SESSION wait_timeout = ?", idleTimeoutSeconds); err != nil {
		return fmt.Errorf("preparing the locking session: %w", err)
	}
	s.using.Lock()
	comment, exists, err := commentOf(ctx, s.lock, s.names.old)
	s.using.Unlock()
	switch {
	case err != nil:
		return fmt.Errorf("looking for a table under the old table's name: %w", err)
	case !exists:
		return nil
	case comment != sentryComment:
		return &ForeignSentryError{s.names.old}
	}
	if err := s.exec(ctx, limit, dropSentryStatement(s.names.old)); err != nil {
		return fmt.Errorf("dropping the sentry table that an earlier attempt has left: %w", err)
	}
	return nil
}

// takeSessionLock takes the server-side lock by which others see that the locking session lives, and by which it is killed.
func (s *twoStepSwap) takeSessionLock(ctx context.Context) error {
	s.using.Lock()
	defer s.using.Unlock()
	s.log.Infof("Grabbing voluntary lock: %s", s.sessionLock())
	var granted int
	if err := s.lock.QueryRow(ctx, statementLimit, []any{&granted}, "SELECT /* gh-ost */ GET_LOCK(?, 0)", s.sessionLock()); err != nil {
		return err
	}
	if granted != 1 {
		return fmt.Errorf("another session holds the lock %s", s.sessionLock())
	}
	return nil
}

func (s *twoStepSwap) sessionLock() string { return sessionLockName(s.lock.ID()) }

// lockTable waits for the lock; the end of ctx ends the wait.
func (s *twoStepSwap) lockTable(ctx context.Context) error {
	if err := s.mayLock(); err != nil {
		return err
	}
	if err := s.lastLook.beforeLockingReaders(ctx); err != nil {
		return err
	}
	s.log.Infof("Locking %s", s.names.original)
	killed := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(killed)
		_ = s.control.kill(ctx, s.sessionLock()) // the wait has a limit of its own
	})
	s.locked = true
	limit := s.timeout + lockGrace + statementLimit
	err := s.exec(ctx, limit, fmt.Sprintf("LOCK /* gh-ost */ TABLES %s WRITE", s.names.original))
	if !stop() {
		<-killed
		// If the kill came after the statement, it may be kept for the next one: let that be this.
		_ = s.exec(ctx, statementLimit, "DO /* gh-ost */ 0")
	}
	if err != nil {
		return fmt.Errorf("locking %s: %w", s.names.original, err)
	}
	s.log.Infof("Table locked")
	s.log.Infof("Session locking original table is %d", s.lock.ID())
	return nil
}

// queueGhost sends the ghost's RENAME and waits until it stands behind the lock.
func (s *twoStepSwap) queueGhost(ctx context.Context) error {
	s.enter(cutover.Renaming, true)
	if err := s.waitForOthers(ctx); err != nil {
		return err
	}
	seconds := int(s.timeout / time.Second)
	s.log.Infof("Setting RENAME timeout as %d seconds", seconds)
	if _, err := s.rename.Exec(ctx, statementLimit, "SET /* gh-ost */ SESSION lock_wait_timeout = ?", seconds); err != nil {
		return fmt.Errorf("preparing the RENAME session: %w", err)
	}
	s.log.Infof("Session renaming tables is %d", s.rename.ID())
	query := fmt.Sprintf("RENAME /* gh-ost %s */ TABLE %s TO %s", s.token, s.names.ghost, s.names.original)
	s.log.Infof("Issuing and expecting this to block: %s", query)
	s.queued = true
	go func() {
		defer close(s.renameAnswered)
		_, s.answer = s.rename.Exec(ctx, 2*s.timeout+statementLimit, query)
	}()
	for {
		if waits, err := s.proof.proven(ctx); err == nil && waits {
			return nil
		}
		select {
		case <-s.renameAnswered:
			return fmt.Errorf("the ghost's RENAME did not wait for the lock: %w", s.answer)
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(lookInterval):
		}
	}
}

// waitForOthers waits until nobody keeps the RENAME from the tables. It is asked before the RENAME, which will hold the
// ghost itself.
func (s *twoStepSwap) waitForOthers(ctx context.Context) error {
	if s.delays == nil {
		return nil
	}
	for {
		err := s.delays(ctx)
		if err == nil {
			return nil
		}
		if pause(ctx, lookInterval) != nil {
			return fmt.Errorf("%w: %w", context.Cause(ctx), err)
		}
	}
}

// swap renames the original away, at which the ghost's RENAME goes on by itself.
func (s *twoStepSwap) swap(ctx context.Context) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	s.enter(cutover.Swapping, true)
	s.log.Infof("Renaming original table")
	s.left = true
	limit := statementLimit
	if deadline, ok := ctx.Deadline(); ok {
		limit = max(limit, time.Until(deadline))
	}
	if err := s.exec(ctx, limit, fmt.Sprintf("ALTER /* gh-ost %s */ TABLE %s RENAME TO %s", s.mark, s.names.original, s.names.old)); err != nil {
		return fmt.Errorf("renaming the original table: %w", err)
	}
	s.pass(pointOriginalRenamed)
	s.log.Infof("Renaming ghost table")
	select {
	case <-s.renameAnswered:
	case <-time.After(swapLimit):
		return fmt.Errorf("the ghost's RENAME did not get through within %s", swapLimit)
	}
	if s.answer != nil {
		return fmt.Errorf("renaming the ghost table: %w", s.answer)
	}
	s.log.Infof("Tables renamed")
	return nil
}

// release ends the attempt. failure is why it was given up, nil if the tables are swapped.
func (s *twoStepSwap) release(ctx context.Context, failure error) (cutover.State, error) {
	s.enter(cutover.Releasing, true)
	if err := s.unlock(ctx); err != nil && failure != nil {
		return stateOf(cutover.RenameUnknown), errors.Join(errOutcomeUnknown, err)
	}
	if failure == nil {
		return stateOf(cutover.RenameSucceeded), nil
	}
	s.enter(cutover.Killing, false)
	if !s.queued {
		return stateOf(cutover.RenameNone), nil
	}
	if err := s.endRename(ctx); err != nil {
		return stateOf(cutover.RenameUnknown), errors.Join(errOutcomeUnknown, err)
	}
	if !s.left {
		return stateOf(cutover.RenameFailed), nil
	}
	s.enter(cutover.Settling, false)
	return s.settle(ctx)
}

func stateOf(rename cutover.Rename) cutover.State {
	return cutover.State{Phase: cutover.Done, Lock: cutover.LockReleased, Rename: rename}
}

// unlock ends the lock. A session that cannot unlock is ended, with whatever it is doing; the error says that this could not
// be confirmed.
func (s *twoStepSwap) unlock(ctx context.Context) error {
	if !s.locked {
		return nil
	}
	s.log.Infof("Unlocking tables")
	err := s.exec(ctx, statementLimit, unlockStatement)
	if err == nil {
		s.log.Infof("Tables unlocked")
		return nil
	}
	s.log.Infof("Ending the locking session, since it cannot unlock: %v", err)
	_ = s.lock.Close() // a broken connection; what counts is the server's side of it
	ctx, cancel := context.WithTimeout(ctx, truthLimit)
	defer cancel()
	for {
		killErr := s.control.killConnection(ctx, s.sessionLock())
		gone, err := s.control.isFree(ctx, s.sessionLock())
		if err == nil && gone {
			return nil
		}
		if pause(ctx, lookInterval) != nil {
			return fmt.Errorf("the locking session (connection %d) could not be confirmed to be gone: %w", s.lock.ID(), errors.Join(killErr, err))
		}
	}
}

// endRename ends the ghost's RENAME and confirms that it is gone: that the server has answered it, or that its session
// exists no more.
func (s *twoStepSwap) endRename(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, killLimit)
	defer cancel()
	kill := s.control.kill
	for tries := 0; ; tries++ {
		select {
		case <-s.renameAnswered:
			if s.answer == nil || !sessionLost(s.answer) {
				return nil
			}
			kill = s.control.killConnection
		default:
		}
		if tries > int(killQueryLimit/lookInterval) {
			kill = s.control.killConnection
		}
		killErr := kill(ctx, s.renameLock())
		gone, err := s.control.isFree(ctx, s.renameLock())
		if err == nil && gone {
			return nil
		}
		if pause(ctx, lookInterval) != nil {
			return fmt.Errorf("the ghost's RENAME (connection %d) could not be confirmed to be gone: %w", s.rename.ID(), errors.Join(killErr, err))
		}
	}
}

// settle finds out which table stands under which name, and gives the original its name back if it has lost it and the
// ghost has not got it.
func (s *twoStepSwap) settle(ctx context.Context) (cutover.State, error) {
	s.log.Infof("Asking the server whether the tables were renamed")
	ctx, cancel := context.WithTimeout(ctx, truthLimit)
	defer cancel()
	for {
		tables, err := s.control.tablesPresent(ctx, s.names)
		switch {
		case err == nil && tables.swapped():
			return stateOf(cutover.RenameSucceeded), nil
		case err == nil && tables.untouched():
			return stateOf(cutover.RenameFailed), nil
		case err == nil && tables.halfway():
			err = s.renameBack(ctx)
		case err == nil:
			err = fmt.Errorf("tables found: %s", tables)
		}
		if err != nil && pause(ctx, 100*time.Millisecond) != nil {
			return stateOf(cutover.RenameUnknown), errors.Join(errOutcomeUnknown, err)
		}
	}
}

func (s *twoStepSwap) renameBack(ctx context.Context) error {
	_ = s.log.Errorf("%v: giving %s its name back", errTableMissing, s.names.original)
	query := fmt.Sprintf("RENAME /* gh-ost %s */ TABLE %s TO %s", s.mark, s.names.old, s.names.original)
	if _, err := s.control.db.ExecContext(ctx, query); err != nil {
		return fmt.Errorf("%w. To give it back by hand: %s: %w", errTableMissing, query, err)
	}
	return nil
}

// presentTables tells which tables of a swap exist.
type presentTables struct{ original, ghost, old bool }

func (p presentTables) swapped() bool   { return p.original && p.old && !p.ghost }
func (p presentTables) untouched() bool { return p.original && p.ghost && !p.old }
func (p presentTables) halfway() bool   { return !p.original && p.ghost && p.old }

func (p presentTables) String() string {
	return fmt.Sprintf("original %t, ghost %t, old %t", p.original, p.ghost, p.old)
}

func (c *controlSessions) tablesPresent(ctx context.Context, names cutOverNames) (present presentTables, err error) {
	ctx, cancel := context.WithTimeout(ctx, controlLimit)
	defer cancel()
	rows, err := c.db.QueryContext(ctx, "SELECT /* gh-ost */ table_name, @@lower_case_table_names <> 0 FROM information_schema.tables"+
		" WHERE table_schema = ? AND table_name IN (?, ?, ?)", names.original.Schema, names.original.Name, names.ghost.Name, names.old.Name)
	if err != nil {
		return present, err
	}
	defer rows.Close() // rows.Err is what counts
	for rows.Next() {
		var name string
		var server sql.NameCase // information_schema may compare more loosely
		if err := rows.Scan(&name, &server.Ignored); err != nil {
			return present, err
		}
		present.original = present.original || server.Same(name, names.original.Name)
		present.ghost = present.ghost || server.Same(name, names.ghost.Name)
		present.old = present.old || server.Same(name, names.old.Name)
	}
	return present, rows.Err()
}

// holdsReaders notes that readers are held, too, from now on.
func (r *CutOverReport) holdsReaders() {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	r.swapBegan = time.Now()
}
