package logic

import (
	"context"
	"fmt"
	"time"
)

// heartbeat writes the time into the changelog at each interval.
type heartbeat struct {
	changelog *Changelog
	interval  func() time.Duration
	skip      func() bool // true while nothing may be written: hibernating, or throttled by the operator
	retries   int64
	failed    func(err error)
}

// run writes until the context ends. More failures in a row than retries end the run, but not before as many seconds: a
// server that refuses connections does so at once, and may be back in a moment.
func (h *heartbeat) run(ctx context.Context) error {
	timer := time.NewTimer(0)
	defer timer.Stop()
	lastSuccess := time.Now()
	for failures := int64(0); ; {
		select {
		case <-ctx.Done():
			return nil
		case now := <-timer.C:
			if !h.skip() {
				err := h.changelog.WriteHeartbeat(ctx, now)
				switch {
				case err == nil:
					failures, lastSuccess = 0, now
				case ctx.Err() != nil:
					return nil
				default:
					failures++
					h.failed(err)
				}
				if failures > h.retries && now.Sub(lastSuccess) > time.Duration(h.retries)*time.Second {
					return fmt.Errorf("%d heartbeats in a row could not be written: %w", failures, err)
				}
			}
			timer.Reset(h.interval())
		}
	}
}
