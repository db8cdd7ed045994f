package logic

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	"github.com/github/gh-ost/go/base"
	"github.com/github/gh-ost/go/logic/cutover"
	"github.com/github/gh-ost/go/mysql"
	"github.com/github/gh-ost/go/sql"
)

var (
	// errLockTimeout is the failure that people know by this text.
	errLockTimeout = errors.New("timeout while waiting for events up to lock")

	// errOutcomeUnknown ends the migration: nobody may try again before a person has looked.
	errOutcomeUnknown = errors.New("it is not known whether the tables were swapped: look which table stands under the original's name before anything else is done")
)

// cutOverNames are the tables of a swap: original becomes old, ghost becomes original.
type cutOverNames struct {
	original, ghost, old sql.TableName
}

// cutOverAttempt is what one attempt works with. Its sessions are opened before anything is locked and closed after the
// attempt, so none of its settings stays behind on a connection that somebody else uses later.
type cutOverAttempt struct {
	names   cutOverNames
	engine  string // of the original, for the sentry
	token   string
	timeout time.Duration // for which writers may be held

	lock    *mysql.Session
	rename  *mysql.Session
	control *controlSessions
	proof   renameProof

	renameAnswered chan struct{}         // closed when the server has answered the RENAME, or it was never sent
	renameLost     atomic.Bool           // the RENAME's connection was lost
	sentryDropped  atomic.Bool           // the server has answered the sentry's DROP
	delay          atomic.Pointer[error] // what the last look found in the RENAME's way
	mayLock        func() error          // the last question before the lock
	drainUpToLock  func(ctx context.Context) error
	lastLook       *lastLook                                                       // nil unless the ghost is verified
	lend           func(ctx context.Context, use func(*mysql.Session) error) error // see useLockSession
	triggers       *triggerAttempt                                                 // nil unless the triggers move along
	delays         func(ctx context.Context) error                                 // says who would keep the RENAME from the tables; nil: nobody
	report         *CutOverReport
	pass           func(point string)
	log            base.Logger
}

// openAttempt opens the sessions of an attempt.
func (apl *Applier) openAttempt(ctx context.Context, names cutOverNames, token string, timeout time.Duration) (*cutOverAttempt, error) {
	attempt := &cutOverAttempt{names: names, engine: apl.engine, token: token, timeout: timeout,
		renameAnswered: make(chan struct{}), pass: apl.pass, log: apl.log}
	var err error
	if attempt.control, err = openControlSessions(ctx, apl.config, apl.server.Dialect); err != nil {
		return nil, err
	}
	if attempt.lock, err = mysql.NewSession(ctx, apl.sessions); err != nil {
		attempt.close()
		return nil, fmt.Errorf("opening the locking session: %w", err)
	}
	if attempt.rename, err = mysql.NewSession(ctx, apl.sessions); err != nil {
		attempt.close()
		return nil, fmt.Errorf("opening the renaming session: %w", err)
	}
	// Behind some proxies the id that a session is told is not the server's: kills and looks would hit others, or none.
	for _, session := range []*mysql.Session{attempt.lock, attempt.rename} {
		if err := session.VerifyID(ctx, attempt.control.db); err != nil {
			attempt.close()
			return nil, err
		}
	}
	if err := attempt.takeRenameLock(ctx); err != nil {
		attempt.close()
		return nil, err
	}
	apl.log.Debugf("cut-over: the locking session is %d, the renaming session is %d", attempt.lock.ID(), attempt.rename.ID())
	if err := attempt.chooseProof(ctx, apl.metadataLocksReadable); err != nil {
		attempt.close()
		return nil, err
	}
	if apl.otherProof != nil {
		attempt.proof = apl.otherProof
	}
	return attempt, nil
}

// chooseProof chooses how the RENAME will be shown to be queued. Where the server ignores the case of table names, its
// locks have them in lower case.
func (a *cutOverAttempt) chooseProof(ctx context.Context, metadataLocksReadable bool) error {
	lower, err := a.control.queryInt(ctx, 0, "SELECT /* gh-ost */ @@lower_case_table_names")
	if err != nil {
		return fmt.Errorf("reading lower_case_table_names: %w", err)
	}
	names := a.names
	if lower != 0 {
		for _, name := range []*sql.TableName{&names.original, &names.ghost, &names.old} {
			name.Schema, name.Name = strings.ToLower(name.Schema), strings.ToLower(name.Name)
		}
	}
	byOrder := newNameOrderProof(a.control, names, a.rename.ID())
	if byOrder.predecessor != nil && *byOrder.predecessor == names.old {
		byOrder.dropIsOver = a.sentryDropIsOver
	}
	a.proof = byOrder
	if metadataLocksReadable {
		a.proof = metadataLockProof{a.control, names.original, a.rename.ID()}
	}
	return nil
}

// sentryDropIsOver tells whether the DROP has come to its end, and not only to the table's.
func (a *cutOverAttempt) sentryDropIsOver(ctx context.Context) (bool, error) {
	if a.sentryDropped.Load() {
		return true, nil
	}
	process, found, err := a.control.process(ctx, a.lock.ID())
	return found && strings.HasPrefix(strings.TrimSpace(process.Info), holdStatement), err
}

// renameHoldsGhost tells whether the RENAME, which was seen to wait, has the ghost table already: it has if the ghost's name
// comes before the sentry's, unless it is the ghost that it waits for.
func (a *cutOverAttempt) renameHoldsGhost(ctx context.Context) (bool, error) {
	if a.names.ghost.Name > a.names.old.Name {
		return false, nil
	}
	return a.control.isHeldExclusively(ctx, a.names.ghost)
}

// useLockSession lends the locking session, between its own statements once the attempt is under way.
func (a *cutOverAttempt) useLockSession(ctx context.Context, use func(*mysql.Session) error) error {
	if a.lend == nil {
		return use(a.lock)
	}
	return a.lend(ctx, use)
}

// close closes the sessions. They are at rest when an attempt has been carried out.
func (a *cutOverAttempt) close() {
	for _, session := range []*mysql.Session{a.lock, a.rename} {
		if session != nil {
			_ = session.Close() // nothing depends on it any more
		}
	}
	a.triggers.close()
	a.control.close()
}

func (h *lockHandle) drainEvents(ctx context.Context) (cutover.Event, bool) {
	err := h.drainUpToLock(ctx)
	switch {
	case ctx.Err() != nil:
		return 0, false
	case err != nil:
		h.blame(err)
		return cutover.DrainFailed, true
	}
	return cutover.Drained, true
}

// nobodyDelaysSwap tells whether the RENAME would get the tables at once.
func (h *lockHandle) nobodyDelaysSwap(ctx context.Context) (bool, error) {
	if h.delays == nil {
		return true, nil
	}
	err := h.delays(ctx)
	if err != nil {
		h.delay.Store(&err) // explains the attempt's end if it stays like that
	}
	return err == nil, err
}

// commentOf returns a table's comment, as the session sees it.
func commentOf(ctx context.Context, session *mysql.Session, table sql.TableName) (comment string, exists bool, err error) {
	var found int
	err = session.QueryRow(ctx, statementLimit, []any{&found, &comment},
		"SELECT /* gh-ost */ COUNT(*), COALESCE(MAX(table_comment), '') FROM information_schema.tables WHERE table_schema = ? AND table_name = ?",
		table.Schema, table.Name)
	return comment, found > 0, err
}

// pause waits, or returns the context's error if that ends first.
func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return ctx.Err()
	case <-ctx.Done():
		return ctx.Err()
	}
}
