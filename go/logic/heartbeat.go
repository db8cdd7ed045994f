package logic

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"time"
)

// heartbeat writes the time into the changelog at each interval.
type heartbeat struct {
	changelog *Changelog
	interval  func() time.Duration
	skip      func() bool // true while nothing may be written: hibernating, or throttled by the operator
	retries   int64
	failed    func(err error)

	written string   // the last heartbeat that the server has acknowledged; "" before the first
	tried   []string // since then, without an answer: each may have been written, or not

	unsure atomic.Bool // from a failure on until a heartbeat has been written again; safe for concurrent use
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
				err := h.write(ctx, now)
				lost := new(LostCommitsError)
				switch {
				case err == nil:
					failures, lastSuccess = 0, now
				case errors.As(err, &lost):
					return err
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

// write writes a heartbeat. After a failure it looks first whether the last one that was acknowledged is still there.
func (h *heartbeat) write(ctx context.Context, now time.Time) error {
	if len(h.tried) > 0 && h.written != "" {
		found, err := h.changelog.readHeartbeat(ctx)
		if err != nil {
			return err
		}
		if found != h.written && !slices.Contains(h.tried, found) {
			return &LostCommitsError{Written: h.written, Found: found}
		}
	}
	text := now.Format(time.RFC3339Nano)
	if err := h.changelog.WriteHeartbeat(ctx, now); err != nil {
		if ctx.Err() == nil { // else it is this side that has given up
			h.tried = append(h.tried, text)
			h.unsure.Store(true)
		}
		return err
	}
	h.written, h.tried = text, nil
	h.unsure.Store(false)
	return nil
}

// LostCommitsError says that the server does not have any more what it had acknowledged. Rows that were copied or applied may
// have gone with it.
type LostCommitsError struct {
	Written, Found string // heartbeats: the last one written, and the one that is there
}

func (e *LostCommitsError) Error() string {
	return fmt.Sprintf("the server has lost commits: its last heartbeat of this migration is %q, and it had acknowledged %q. It seems to have crashed with settings that "+
		"do not make each commit durable (innodb_flush_log_at_trx_commit, sync_binlog). Rows in the ghost table may be lost as well: start the migration again, or, if it was run with --checkpoint, go on with --resume", e.Found, e.Written)
}
