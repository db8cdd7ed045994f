package logic

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/github/gh-ost/go/logic/cutover"
	"github.com/github/gh-ost/go/mysql"
)

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
