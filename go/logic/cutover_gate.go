package logic

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync/atomic"
	"time"

	"github.com/github/gh-ost/go/base"
)

const (
	// gateInterval is the pause between two looks while nobody is locked out.
	gateInterval = 100 * time.Millisecond

	// gateLogInterval is the time after which the log repeats what the cut-over waits for.
	gateLogInterval = 10 * time.Second
)

// obstacle is one reason not to try the cut-over yet: in a few words, or "" if there is none.
type obstacle func(ctx context.Context) (reason string, err error)

// cutOverGate holds the cut-over back until an attempt can succeed. While it waits it says what for.
type cutOverGate struct {
	context   *base.MigrationContext
	throttled func(ctx context.Context) error // waits while the migration is throttled
	drainTime func() time.Duration            // expected for what is queued
	waiting   func() time.Duration            // for which the next of what is queued has waited
	postponed func() error                    // told when postponing begins; an error fails the attempt
	obstacles []obstacle                      // looked at in order, after lag and postponing

	waitsFor atomic.Pointer[string]
}

// WaitsFor is what the cut-over waits for, in a few words; empty if it does not.
func (g *cutOverGate) WaitsFor() string {
	if reason := g.waitsFor.Load(); reason != nil {
		return *reason
	}
	return ""
}

// wait returns when an attempt may be made, or with an error when the wait itself failed.
func (g *cutOverGate) wait(ctx context.Context) error {
	defer g.context.SetPostponing(false)
	defer g.waitsFor.Store(nil)
	var logged string
	var loggedAt time.Time
	for {
		if err := g.throttled(ctx); err != nil {
			return err
		}
		reason, err := g.look(ctx)
		if err != nil || reason == "" {
			return err
		}
		g.waitsFor.Store(&reason)
		if reason != logged && time.Since(loggedAt) > time.Second || time.Since(loggedAt) > gateLogInterval {
			g.context.Log.Infof("cut-over waits: %s", reason)
			logged, loggedAt = reason, time.Now()
		}
		if err := pause(ctx, gateInterval); err != nil {
			return err
		}
	}
}

func (g *cutOverGate) look(ctx context.Context) (reason string, err error) {
	g.context.Log.Debugf("checking for cut-over postpone")
	postponed, err := g.isPostponed()
	if err != nil {
		return "", err
	}
	if reason := g.lag(); reason != "" {
		return reason, nil
	}
	if postponed {
		return "the flag file " + g.context.GetPostponeCutOverFlagFile() + " exists", nil
	}
	for _, look := range g.obstacles {
		if reason, err := look(ctx); err != nil || reason != "" {
			return reason, err
		}
	}
	g.context.Log.Debugf("checking for cut-over postpone: complete")
	return "", nil
}

// lag is the reason to wait while events could not be drained within the lock's time.
func (g *cutOverGate) lag() string {
	timeout := g.context.CutOverLockTimeout()
	limit := min(g.context.MaxLag(), timeout)
	if lag := g.context.TimeSinceLastHeartbeatOnChangelog(); lag > limit {
		return fmt.Sprintf("events are applied %.1fs behind, more than %.1fs", lag.Seconds(), limit.Seconds())
	}
	if waiting := g.waiting(); waiting > timeout/4 {
		return fmt.Sprintf("events are applied behind: the next has waited for %.1fs, more than a quarter of the lock timeout of %.0fs", waiting.Seconds(), timeout.Seconds())
	}
	if drain := g.drainTime(); drain > timeout/2 {
		return fmt.Sprintf("draining the backlog would take about %.1fs, more than half of the lock timeout of %.0fs", drain.Seconds(), timeout.Seconds())
	}
	return ""
}

// isPostponed tells whether the operator's last wish is to wait, and tells others when that begins and ends.
func (g *cutOverGate) isPostponed() (bool, error) {
	if !g.postponeIsLastWish() {
		g.context.SetPostponing(false)
		return false, nil
	}
	g.context.WithdrawUnpostpone() // a file that came later is the later wish
	if !g.context.IsPostponing() {
		if err := g.postponed(); err != nil {
			return false, fmt.Errorf("beginning to postpone the cut-over: %w", err)
		}
	}
	g.context.SetPostponing(true)
	return true, nil
}

// postponeIsLastWish: the flag file is one wish, a command to go on another; the command stands for as long as no file
// was put there after it, also if the cut-over cannot begin yet.
func (g *cutOverGate) postponeIsLastWish() bool {
	file := g.context.GetPostponeCutOverFlagFile()
	info, err := os.Stat(file)
	if file == "" || errors.Is(err, os.ErrNotExist) {
		return false
	}
	requested, stands := g.context.UnpostponeRequested()
	return err != nil || !stands || info.ModTime().After(requested)
}
