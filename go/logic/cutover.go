package logic

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/github/gh-ost/go/logic/cutover"
	"github.com/github/gh-ost/go/logic/verify"
	"github.com/github/gh-ost/go/mysql"
)

// cutOver swaps the tables: it waits until an attempt can succeed, tries, and tries again after a failed attempt, up to
// the limit of retries. Time spent waiting costs no attempt.
func (mgtr *Migrator) cutOver(ctx context.Context) error {
	retries := mgtr.context.MaxRetries()
	for attempt := int64(1); ; attempt++ {
		waitBegan := time.Now()
		err := mgtr.gate.wait(ctx)
		if err != nil {
			err = unlessNotTried(err)
		} else {
			err = mgtr.tryCutOver(ctx, newCutOverReport(attempt, time.Since(waitBegan), time.Now()))
		}
		var notTried *notTriedError
		var slipped *SlippedWritesError
		var conflict *ConflictError
		var difference *verify.DifferenceError
		switch {
		case err == nil:
			return nil
		case ctx.Err() != nil:
			return errors.Join(context.Cause(ctx), err)
		case errors.Is(err, errHeldBack):
			attempt-- // nothing was tried
			continue
		case errors.As(err, &notTried):
			attempt--
		case errors.Is(err, errOutcomeUnknown) || errors.As(err, &slipped) || errors.As(err, &conflict) || errors.As(err, &difference) || mgtr.context.IsCutOverComplete():
			return err
		case attempt >= retries:
			return fmt.Errorf("giving up the cut-over after %d attempts: %w", attempt, err)
		}
		_ = mgtr.log.Errore(err)
		if err := mgtr.restAfterAttempt(ctx, max(attempt, 1)); err != nil {
			return err
		}
	}
}

// cutOverPause is the wait after a failed attempt: a second, or 1, 2, 4, … seconds up to the limit.
func (mgtr *Migrator) cutOverPause(attempt int64) time.Duration {
	if !mgtr.context.CutOverExponentialBackoff {
		return time.Second
	}
	seconds := int64(1) << min(attempt-1, 30)
	return time.Duration(min(seconds, mgtr.context.ExponentialBackoffMaxInterval)) * time.Second
}

// atomicCutOver makes one attempt with AtomicCutOverMagicLock.
func (mgtr *Migrator) atomicCutOver(ctx context.Context, report *CutOverReport) error {
	return mgtr.attemptSwap(ctx, report, mgtr.applier.AtomicCutOverMagicLock)
}

// attemptSwap makes one attempt: it opens the attempt's sessions, hands them to the given way to swap, and after a
// swap reads the stream on to the RENAME, to make sure that no write slipped through. It returns nil only when the
// tables are swapped and nothing is missing.
func (mgtr *Migrator) attemptSwap(ctx context.Context, report *CutOverReport, swap func(context.Context, *cutOverAttempt) (cutover.State, error)) error {
	mgtr.context.MarkPointOfInterest()
	mgtr.lastReport.Store(report)
	token := newToken(AllEventsUpToLockProcessed, time.Now())
	attempt, err := mgtr.applier.openAttempt(ctx, mgtr.names, token, mgtr.context.CutOverLockTimeout())
	if err != nil {
		report.conclude(cutover.NotSwapped, err)
		return unlessNotTried(fmt.Errorf("preparing the cut-over: %w", err))
	}
	defer attempt.close()
	if err := mgtr.noteAttempt(ctx, token); err != nil {
		report.conclude(cutover.NotSwapped, err)
		return unlessNotTried(fmt.Errorf("preparing the cut-over: %w", err))
	}
	attempt.report = report
	attempt.mayLock = mgtr.mayLock
	attempt.delays = func(ctx context.Context) error { return mgtr.lockWatch.beforeDrop(ctx, attempt) }
	if attempt.triggers, err = mgtr.triggers.begin(ctx, attempt); err != nil {
		report.conclude(cutover.NotSwapped, err)
		return unlessNotTried(fmt.Errorf("preparing the cut-over: %w", err))
	}
	if attempt.lastLook, err = mgtr.beginLastLook(ctx, attempt); err != nil {
		report.conclude(cutover.NotSwapped, err)
		return unlessNotTried(fmt.Errorf("preparing the cut-over: %w", err))
	}
	attempt.drainUpToLock = func(ctx context.Context) error { return mgtr.waitForEventsUpToLock(ctx, attempt) }
	if err := mgtr.noteAttemptBegins(ctx, token); err != nil {
		report.conclude(cutover.NotSwapped, err)
		attempt.triggers.end(ctx, cutover.NotSwapped)
		attempt.lastLook.end(cutover.NotSwapped)
		return unlessNotTried(fmt.Errorf("preparing the cut-over: %w", err))
	}

	audit := mgtr.streamer.beginAudit(token, mgtr.keys)
	defer mgtr.streamer.endAudit()
	restore := mgtr.throttler.Gate().Bypass()
	defer restore()
	mgtr.context.SetInCutOverCriticalSection(true)
	defer mgtr.context.SetInCutOverCriticalSection(false)

	mgtr.undecided.Store(&token)
	state, err := swap(ctx, attempt)
	report.conclude(state.Outcome(), err)
	attempt.triggers.end(ctx, state.Outcome())
	attempt.lastLook.end(state.Outcome())
	if err := mgtr.changelog.RecordState(ctx, token); err != nil && ctx.Err() == nil {
		_ = mgtr.log.Errore(err) // it is for people who look into the changelog
	}
	for _, line := range report.Lines() {
		mgtr.log.Infof("%s", line)
	}
	if state.Outcome() == cutover.NotSwapped {
		mgtr.undecided.Store(nil)
		if err := mgtr.noteAttemptFailed(ctx); err != nil {
			_ = mgtr.log.Warningf("%v: --cleanup will leave the ghost table as it is if this run is killed", err)
		}
	}
	if state.Outcome() != cutover.Swapped {
		mgtr.applier.sentryMayBeLeft = state.SentryLeft()
		return err
	}
	mgtr.context.MarkCutOverComplete()
	mgtr.log.Infof("Lock & rename duration: %s. During that time, writes to `%s` were blocked", report.WritersHeld(), mgtr.names.original.Name)
	err = mgtr.finishAudit(ctx, audit)
	mgtr.noteCutOver(context.WithoutCancel(ctx), audit, err)
	return err
}

// auditLimit is how long the stream may take to come to the RENAME's event. Nobody waits for it but this tool.
const auditLimit = 10 * time.Minute

func (mgtr *Migrator) finishAudit(ctx context.Context, audit *audit) error {
	ctx, cancel := context.WithTimeout(ctx, auditLimit)
	defer cancel()
	err := audit.finish(ctx)
	var slipped *SlippedWritesError
	if errors.As(err, &slipped) {
		for _, line := range slipped.lines() {
			_ = mgtr.log.Errorf("%s", line)
		}
	}
	return err
}

// notTriedError says that no attempt was made, since the server could not be reached or takes no more connections. It
// costs none of the attempts, which are for what can succeed.
type notTriedError struct{ cause error }

// unlessNotTried marks an error that came before anything was tried, if it is one that may pass.
func unlessNotTried(err error) error {
	if mysql.IsRetryable(err) {
		return &notTriedError{err}
	}
	return err
}

func (e *notTriedError) Error() string { return "the cut-over waits: " + e.cause.Error() }
func (e *notTriedError) Unwrap() error { return e.cause }

// errHeldBack says that the operator has postponed the cut-over again while its lock was being prepared.
var errHeldBack = errors.New("the cut-over was postponed again before its lock was taken")

// mayLock is the last question before the lock: whether the operator's last wish is still to go on.
func (mgtr *Migrator) mayLock() error {
	if mgtr.gate.postponeIsLastWish() {
		return errHeldBack
	}
	return nil
}

// waitForEventsUpToLock writes the attempt's token behind everything that was committed before the lock, and waits
// until it has come back through the stream and the backlog: then all of that has been applied. The token goes over a
// connection of the attempt's own: while writers are held, none is opened or waited for.
func (mgtr *Migrator) waitForEventsUpToLock(ctx context.Context, attempt *cutOverAttempt) error {
	mgtr.context.MarkPointOfInterest()
	started := time.Now()
	attempt.triggers.look(ctx)
	arrived, forget := mgtr.streamer.Expect(attempt.token)
	defer forget()
	mgtr.log.Infof("Writing changelog state: %s", attempt.token)
	written, cancel := context.WithTimeout(context.WithoutCancel(ctx), attempt.timeout)
	defer cancel()
	if err := mgtr.changelog.Over(attempt.control.db).SignalState(written, attempt.token); err != nil {
		return err
	}
	mgtr.log.Infof("Waiting for events up to lock")
	select {
	case <-arrived:
	case <-ctx.Done():
		return ctx.Err()
	}
	mgtr.log.Infof("Waiting for events up to lock: got %s", attempt.token)
	mgtr.log.Infof("Done waiting for events up to lock; duration=%s", time.Since(started))
	if err := mgtr.stricter.requireClean(); err != nil {
		return err
	}
	if err := attempt.lastLook.finish(ctx); err != nil {
		return err
	}
	return attempt.triggers.create(ctx)
}
