package logic

import (
	"context"
	"time"
)

// RetrySleepFn, if an embedding program sets it before a run, waits in place of the pause before something is tried
// again; nil: the pause ends with the run's context, too. It is the one variable of this package, which embedders expect.
var RetrySleepFn func(time.Duration)

// pauseBeforeRetry waits before something is tried again, or returns the context's error if that ends first.
func pauseBeforeRetry(ctx context.Context, d time.Duration) error {
	if RetrySleepFn != nil {
		RetrySleepFn(d)
		return ctx.Err()
	}
	return pause(ctx, d)
}
