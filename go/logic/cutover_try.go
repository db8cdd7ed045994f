package logic

import (
	"context"

	"github.com/github/gh-ost/go/base"
)

// tryCutOver makes one attempt in the way that was asked for, with what belongs before and after it.
func (mgtr *Migrator) tryCutOver(ctx context.Context, report *CutOverReport) error {
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
