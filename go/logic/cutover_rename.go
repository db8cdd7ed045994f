package logic

import (
	"bytes"
	"context"
	gosql "database/sql"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/github/gh-ost/go/logic/cutover"
	"github.com/github/gh-ost/go/sql"
)

const (
	// lookInterval is the pause between two looks at the server while clients wait.
	lookInterval = 2 * time.Millisecond

	// killQueryLimit is how long a RENAME is given to end after KILL QUERY before its whole connection is killed, and
	// killLimit how long it may take to confirm that it is gone.
	killQueryLimit = 200 * time.Millisecond
	killLimit      = 2 * time.Second

	// truthLimit is how long the server is asked which table stands under which name, which is when no client waits.
	truthLimit = 60 * time.Second
)

// renameStatement swaps the tables. It carries the attempt's token, by which the audit knows it in the stream.
func (h *lockHandle) renameStatement() string {
	return fmt.Sprintf("RENAME /* gh-ost %s */ TABLE %s TO %s, %s TO %s", h.token, h.names.original, h.names.old, h.names.ghost, h.names.original)
}

// issueRename runs the RENAME to its end. Only an answer of the server says what became of it.
func (h *lockHandle) issueRename(ctx context.Context) (cutover.Event, bool) {
	seconds := int(h.timeout / time.Second)
	h.log.Infof("Setting RENAME timeout as %d seconds", seconds)
	if _, err := h.rename.Exec(ctx, statementLimit, "SET /* gh-ost */ SESSION lock_wait_timeout = ?", seconds); err != nil {
		close(h.renameAnswered) // it was never sent
		h.blame(fmt.Errorf("preparing the RENAME session: %w", err))
		return cutover.RenameRefused, true
	}
	h.log.Infof("Session renaming tables is %d", h.rename.ID())
	query := h.renameStatement()
	h.log.Infof("Issuing and expecting this to block: %s", query)
	// RENAME waits for up to three names in turn, each for up to the timeout; the attempt kills it long before.
	_, err := h.rename.Exec(ctx, 3*h.timeout+statementLimit, query)
	switch {
	case err == nil:
		close(h.renameAnswered)
		h.log.Infof("Tables renamed")
		return cutover.RenameDone, true
	case sessionLost(err):
		h.renameLost.Store(true)
		h.blame(fmt.Errorf("the connection of the RENAME was lost: %w", err))
		return cutover.RenameLost, true
	}
	close(h.renameAnswered)
	h.blame(fmt.Errorf("RENAME: %w", err))
	return cutover.RenameRefused, true
}

// look repeats a question about the server's locks until the answer is yes or ctx ends. Each look makes sure afterwards
// that the locking session is alive still, without which no answer counts.
func (h *lockHandle) look(ctx context.Context, yes cutover.Event, question func(ctx context.Context) (bool, error)) (cutover.Event, bool) {
	for {
		answer, err := question(ctx)
		if ctx.Err() != nil {
			return 0, false
		}
		alive, aliveErr := h.control.holdsLock(ctx, h.sessionLock(), h.lock.ID())
		switch {
		case aliveErr == nil && !alive:
			h.blame(errors.New("the locking session is gone from the server"))
			return cutover.LockLostEvent, ctx.Err() == nil
		case aliveErr == nil && err == nil && answer:
			return yes, ctx.Err() == nil
		}
		err = errors.Join(err, aliveErr)
		if err != nil && ctx.Err() == nil {
			h.log.Debugf("looking at the server's locks: %v", err) // the next look, or the deadline, goes on from here
		}
		if pause(ctx, lookInterval) != nil {
			return 0, false
		}
	}
}

func (h *lockHandle) awaitRename(ctx context.Context) (cutover.Event, bool) {
	event, ok := h.look(ctx, cutover.RenameSeenWaiting, h.renameWaits)
	if ok && event == cutover.RenameSeenWaiting {
		h.log.Infof("Found atomic RENAME to be blocking, as expected; now making sure once more that the lock is held")
	}
	return event, ok
}

// renameWaits tells whether the RENAME stands waiting for a table's metadata lock.
func (h *lockHandle) renameWaits(ctx context.Context) (bool, error) {
	return h.control.waitsForTable(ctx, h.rename.ID())
}

// checkBeforeDrop is the last look before the sentry's drop, after which the server itself would swap the tables.
func (h *lockHandle) checkBeforeDrop(ctx context.Context) (cutover.Event, bool) {
	h.log.Infof("Checking session lock: %s", h.sessionLock())
	event, ok := h.look(ctx, cutover.CheckPassed, h.nobodyDelaysSwap)
	if ok && event == cutover.CheckPassed {
		h.log.Infof("Connection holding lock on original table still exists")
		h.log.Infof("Will now proceed to drop magic table and unlock tables")
	}
	return event, ok
}

// proveQueued waits for the proof that the RENAME stands in the queue of the original table, so that it goes before
// every writer at the unlock.
func (h *lockHandle) proveQueued(ctx context.Context) (cutover.Event, bool) {
	h.log.Infof("Session renameLockSessionId is %d", h.rename.ID())
	event, ok := h.look(ctx, cutover.QueueProven, h.proof.proven)
	if ok && event == cutover.QueueProven {
		h.log.Infof("Rename session is pending lock on the origin table !")
	}
	return event, ok
}

// endHoldWhenQueued ends the hold behind the sentry's drop once the RENAME is queued on the original, or leaves it to its
// time. It kills only while the locking session sleeps: its other statements have ends of their own.
func (h *lockHandle) endHoldWhenQueued(ctx context.Context) {
	for queued := false; ; {
		if !queued {
			proven, err := h.proof.proven(ctx)
			queued = err == nil && proven
		}
		if queued {
			process, found, err := h.control.process(ctx, h.lock.ID())
			if err == nil && found && process.State == "User sleep" && ctx.Err() == nil {
				if err := h.control.kill(ctx, h.sessionLock()); err != nil {
					h.log.Debugf("ending the hold behind the sentry's drop: %v", err)
				}
			}
		}
		if pause(ctx, lookInterval) != nil {
			return
		}
	}
}

// killRename ends the RENAME and confirms that it is gone: that the server has answered it, or that its connection
// exists no more, so that a request which is still on its way cannot start either.
func (h *lockHandle) killRename(ctx context.Context) (cutover.Event, bool) {
	started := time.Now()
	for {
		kill := h.control.kill
		if time.Since(started) > killQueryLimit || h.renameLost.Load() {
			kill = h.control.killConnection
		}
		killErr := kill(ctx, h.renameLock())
		select {
		case <-h.renameAnswered:
			return 0, false // its own report goes on from here
		case <-time.After(lookInterval):
		}
		if gone, err := h.control.isFree(ctx, h.renameLock()); err == nil && gone {
			return cutover.RenameGone, true
		} else if err != nil {
			killErr = errors.Join(killErr, err)
		}
		if time.Since(started) > killLimit {
			h.blame(fmt.Errorf("the RENAME (connection %d) could not be confirmed to be gone: %w", h.rename.ID(), killErr))
			return cutover.RenameStuck, true
		}
	}
}

// findTruth makes sure that the RENAME is gone, and asks the server which table stands under which name.
func (h *lockHandle) findTruth(ctx context.Context) (cutover.Event, bool) {
	h.log.Infof("Asking the server whether the tables were swapped")
	ctx, cancel := context.WithTimeout(ctx, truthLimit)
	defer cancel()
	for {
		var swapped bool
		err := h.renameIsGone(ctx)
		if err == nil {
			swapped, err = h.control.tablesAreSwapped(ctx, h.names)
		}
		switch {
		case err == nil && swapped:
			return cutover.TruthSwapped, true
		case err == nil:
			return cutover.TruthNotSwapped, true
		}
		if pause(ctx, 100*time.Millisecond) != nil {
			h.blame(fmt.Errorf("asking the server whether the tables were swapped: %w", err))
			return cutover.TruthUnknown, true
		}
	}
}

// renameIsGone kills what is left of the RENAME's session; nil means that nothing is.
func (h *lockHandle) renameIsGone(ctx context.Context) error {
	if err := h.control.killConnection(ctx, h.renameLock()); err != nil {
		return err
	}
	gone, err := h.control.isFree(ctx, h.renameLock())
	if err == nil && !gone {
		err = fmt.Errorf("the RENAME's session (connection %d) is being ended", h.rename.ID())
	}
	return err
}

// renameLock is the name of the server-side lock that the renaming session holds for as long as it lives.
func (a *cutOverAttempt) renameLock() string { return renameLockName(a.token) }

// renameLockName is the name of that lock for an attempt's token, of which it carries the part that is left to chance: nobody
// else has it, neither now nor after a restart of the server.
func renameLockName(token string) string {
	return "gh-ost.rename." + token[strings.LastIndexByte(token, '.')+1:]
}

// takeRenameLock takes it.
func (a *cutOverAttempt) takeRenameLock(ctx context.Context) error {
	var granted gosql.Null[int]
	if err := a.rename.QueryRow(ctx, statementLimit, []any{&granted}, "SELECT /* gh-ost */ GET_LOCK(?, 0)", a.renameLock()); err != nil {
		return fmt.Errorf("preparing the renaming session: %w", err)
	}
	if granted.V != 1 {
		return fmt.Errorf("preparing the renaming session: another session holds the lock %s", a.renameLock())
	}
	return nil
}

// renameProof tells whether the RENAME is queued on the original table.
type renameProof interface {
	proven(ctx context.Context) (bool, error)
}

// metadataLockProof reads the server's table of metadata locks.
type metadataLockProof struct {
	control  *controlSessions
	original sql.TableName
	renameID int64
}

func (p metadataLockProof) proven(ctx context.Context) (bool, error) {
	return p.control.isPendingExclusive(ctx, p.original, p.renameID)
}

// nameOrderProof reasons from the order in which RENAME takes its names, which is that of their bytes: if it still
// waits and holds the name before the original's, it waits for the original. If no name comes before the original's,
// waiting is enough, for as long as the original is locked nobody gets past it.
//
// Whether it waits is read from the process list, which may be late: a session is given the name that it has waited for by
// whoever frees it, and is shown to wait until it has woken up. On a busy machine that takes milliseconds, in which it does not
// stand in the original's queue. So the queue itself is asked in the end whether anybody stands there as RENAME does.
type nameOrderProof struct {
	control     *controlSessions
	original    sql.TableName
	predecessor *sql.TableName
	renameID    int64
	// dropIsOver is set if the predecessor is the sentry, whose name its DROP holds exclusively, too.
	dropIsOver func(ctx context.Context) (bool, error)
}

func newNameOrderProof(control *controlSessions, names cutOverNames, renameID int64) nameOrderProof {
	proof := nameOrderProof{control: control, original: names.original, renameID: renameID}
	for _, name := range []sql.TableName{names.ghost, names.old} {
		before := bytes.Compare([]byte(name.Name), []byte(names.original.Name)) < 0
		if before && (proof.predecessor == nil || name.Name > proof.predecessor.Name) {
			proof.predecessor = &name
		}
	}
	return proof
}

func (p nameOrderProof) proven(ctx context.Context) (bool, error) {
	if p.dropIsOver != nil {
		if over, err := p.dropIsOver(ctx); err != nil || !over {
			return false, err
		}
	}
	if p.predecessor == nil {
		return p.control.waitsForTable(ctx, p.renameID)
	}
	held, err := p.control.isHeldExclusively(ctx, *p.predecessor)
	if err != nil || !held {
		return false, err
	}
	waits, err := p.control.waitsForTable(ctx, p.renameID)
	if err != nil || !waits {
		return false, err
	}
	return p.control.isAwaitedExclusively(ctx, p.original)
}
