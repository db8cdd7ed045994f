package logic

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/github/gh-ost/go/logic/cutover"
	"github.com/github/gh-ost/go/logic/inspect"
	"github.com/github/gh-ost/go/mysql"
	"github.com/github/gh-ost/go/sql"
)

// triggerAttempt takes the triggers to the ghost in one cut-over attempt. A nil one does nothing.
type triggerAttempt struct {
	mover    *triggerMover
	attempt  *cutOverAttempt
	session  *triggerSession // nil if there are no triggers to create
	triggers []inspect.Trigger
	requests []string
	looked   chan error // gets what look has found, once; nil until then
	sent     bool       // the ghost may have triggers
}

// begin prepares all that can be before the lock.
func (m *triggerMover) begin(ctx context.Context, attempt *cutOverAttempt) (*triggerAttempt, error) {
	if m == nil {
		return nil, nil
	}
	a := &triggerAttempt{mover: m, attempt: attempt, triggers: m.accepted}
	if len(a.triggers) == 0 {
		return a, nil
	}
	var err error
	if a.requests, err = m.requests(ctx, a.triggers); err != nil {
		return nil, err
	}
	if a.session, err = openTriggerSession(ctx, m.applier, attempt.control, triggerLockName(attempt.token), int(attempt.timeout/time.Second)); err != nil {
		return nil, fmt.Errorf("opening a session for the triggers: %w", err)
	}
	return a, nil
}

// look begins to read the original's triggers, which nobody can change any more: it is locked.
func (a *triggerAttempt) look(ctx context.Context) {
	if a == nil {
		return
	}
	looked := make(chan error, 1)
	a.looked = looked
	go func() { looked <- a.requireUnchanged(ctx) }()
}

func (a *triggerAttempt) requireUnchanged(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), controlLimit)
	defer cancel()
	now, err := inspect.ReadTriggers(ctx, a.attempt.control.db, a.mover.names.original)
	if err == nil && !slices.Equal(now, a.triggers) {
		err = fmt.Errorf("the triggers of %s were changed while the cut-over was prepared", a.mover.names.original)
	}
	return err
}

// create creates the triggers on the ghost. Everything up to the lock is applied, and look was called. The end of ctx ends it.
func (a *triggerAttempt) create(ctx context.Context) error {
	if a == nil {
		return nil
	}
	if err := a.awaitLook(); err != nil || len(a.triggers) == 0 {
		return err
	}
	if err := a.mover.hold(ctx); err != nil {
		return err
	}
	a.sent = true
	for i, request := range a.requests {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		name := sql.EscapeName(a.mover.newName(a.triggers[i]))
		a.attempt.log.Infof("Createing trigger %s on %s", name, a.mover.names.ghost)
		if err := a.session.exec(ctx, a.attempt.timeout+lockGrace+statementLimit, request); err != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			if !mysql.IsRetryable(err) {
				a.mover.accepted = nil // not what it was seen to take: it is tried again before the next attempt
			}
			return a.mover.explain(a.triggers[i], err)
		}
	}
	a.attempt.log.Infof("Triggers created on %s", a.mover.names.ghost.Name)
	return ctx.Err()
}

// awaitLook waits for what look has begun; it must not go on when the attempt has ended.
func (a *triggerAttempt) awaitLook() error {
	if a.looked == nil {
		return nil
	}
	err := <-a.looked
	a.looked = nil
	return err
}

// end is told what has become of the attempt, whose sessions are at rest. Where the ghost has not taken the original's place
// it has no triggers afterwards, unless the run ends before that can be done; then the writer stays held.
func (a *triggerAttempt) end(ctx context.Context, outcome cutover.Outcome) {
	if a == nil {
		return
	}
	_ = a.awaitLook() // nobody asks for it any more
	switch {
	case !a.sent:
		a.mover.letGo()
	case outcome == cutover.NotSwapped:
		if err := a.mover.remove(ctx, a.session, a.triggers); err != nil {
			_ = a.attempt.log.Errore(err)
		}
	case outcome == cutover.Swapped && !a.mover.swapBack:
		a.mover.letGo()
	}
}

func (a *triggerAttempt) close() {
	if a != nil && a.session != nil {
		a.session.close()
	}
}
