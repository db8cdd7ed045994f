package logic

import (
	"context"
	"time"

	"github.com/github/gh-ost/go/base"
)

// tryCutOver makes one attempt in the way that was asked for, with what belongs before and after it.
func (mgtr *Migrator) tryCutOver(ctx context.Context, report *CutOverReport) error {
	mgtr.measure.sleep(postponeSleep, report.gate)
	mgtr.measure.cutOverBegins(time.Now())
	err := mgtr.carryOutAttempt(ctx, report)
	if err == nil {
		mgtr.measure.cutOverAttempt(cutOverSucceeded, report, time.Now())
	}
	return err
}

func (mgtr *Migrator) carryOutAttempt(ctx context.Context, report *CutOverReport) error {
	c := mgtr.context
	if c.AnalyzeGhostTableBeforeCutOver {
		if err := mgtr.analyzeGhost(ctx); err != nil {
			return err
		}
	}
	swap := mgtr.atomicCutOver
	if c.CutOverType == base.CutOverTwoStep {
		swap = mgtr.twoStepCutOver
	}
	if c.TestOnReplica {
		return mgtr.testOnReplica(ctx, report, swap)
	}
	return swap(ctx, report)
}

// restAfterAttempt is the pause after an attempt that failed and is followed by another.
func (mgtr *Migrator) restAfterAttempt(ctx context.Context, attempt int64) error {
	if report := mgtr.lastReport.Load(); report != nil {
		mgtr.measure.cutOverAttempt(cutOverRetried, report, time.Now())
	}
	began := time.Now()
	err := pauseBeforeRetry(ctx, mgtr.cutOverPause(attempt))
	mgtr.measure.sleep(backoffSleep, time.Since(began))
	return err
}
