package logic

import (
	"context"
	"os"

	"github.com/github/gh-ost/go/base"
	"github.com/github/gh-ost/go/logic/hooks"
)

// HooksExecutor runs the scripts of the hooks directory as base.Hooks.
type HooksExecutor struct {
	context  *base.MigrationContext
	executor *hooks.Executor
	host     string
	report   func() *CutOverReport // of the last cut-over attempt; nil before the first
}

// NewHooksExecutor returns the script hooks of a migration; without a hooks path they do nothing.
func NewHooksExecutor(migrationContext *base.MigrationContext) *HooksExecutor {
	host, err := os.Hostname()
	if err != nil {
		host = "unknown"
	}
	return &HooksExecutor{
		context:  migrationContext,
		executor: hooks.NewExecutor(migrationContext.HooksPath, migrationContext.HooksTimeout(), os.Stderr, migrationContext.Log),
		host:     host,
		report:   func() *CutOverReport { return nil },
	}
}

func (h *HooksExecutor) environment() hooks.Environment {
	c := h.context
	return hooks.Environment{
		DatabaseName:   c.DatabaseName,
		TableName:      c.OriginalTableName,
		GhostTableName: c.GetGhostTableName(),
		OldTableName:   c.GetOldTableName(),
		DDL:            c.AlterStatement,
		Elapsed:        c.ElapsedTime(),
		ElapsedCopy:    c.ElapsedRowCopyTime(),
		EstimatedRows:  c.GetTotalRowsEstimate(),
		CopiedRows:     c.GetTotalRowsCopied(),
		MigratedHost:   c.GetApplierHostname(),
		InspectedHost:  c.GetInspectorHostname(),
		ExecutingHost:  h.host,
		InspectedLag:   c.GetCurrentLagDuration(),
		HeartbeatLag:   c.TimeSinceLastHeartbeatOnChangelog(),
		Progress:       c.GetProgressPct(),
		ETASeconds:     c.GetETASeconds(),
		Hint:           c.HooksHintMessage,
		HintOwner:      c.HooksHintOwner,
		HintToken:      c.HooksHintToken,
		DryRun:         c.Noop,
		Revert:         c.Revert,
	}
}

func (h *HooksExecutor) run(ctx context.Context, event hooks.Event, extra ...string) error {
	if report := h.report(); report != nil {
		extra = append(report.Environment(), extra...)
	}
	return h.executor.Run(ctx, event, h.environment(), extra...)
}

// OnStartup implements base.Hooks, as do the methods below.
func (h *HooksExecutor) OnStartup() error { return h.run(h.context.GetContext(), hooks.OnStartup) }

func (h *HooksExecutor) OnValidated() error {
	return h.run(h.context.GetContext(), hooks.OnValidated)
}

func (h *HooksExecutor) OnRowCountComplete() error {
	return h.run(h.context.GetContext(), hooks.OnRowCountComplete)
}

func (h *HooksExecutor) OnBeforeRowCopy() error {
	return h.run(h.context.GetContext(), hooks.OnBeforeRowCopy)
}

func (h *HooksExecutor) OnRowCopyComplete() error {
	return h.run(h.context.GetContext(), hooks.OnRowCopyComplete)
}

func (h *HooksExecutor) OnBeginPostponed() error {
	return h.run(h.context.GetContext(), hooks.OnBeginPostponed)
}

func (h *HooksExecutor) OnBeforeCutOver() error {
	return h.run(h.context.GetContext(), hooks.OnBeforeCutOver)
}

func (h *HooksExecutor) OnInteractiveCommand(command string) error {
	return h.run(h.context.GetContext(), hooks.OnInteractiveCommand, hooks.CommandVariable(command))
}

func (h *HooksExecutor) OnSuccess(instantDDL bool) error {
	return h.run(h.context.GetContext(), hooks.OnSuccess, hooks.InstantDDLVariable(instantDDL))
}

// OnFailure runs after the migration's own context has ended.
func (h *HooksExecutor) OnFailure() error {
	return h.run(context.WithoutCancel(h.context.GetContext()), hooks.OnFailure)
}

func (h *HooksExecutor) OnBatchCopyRetry(errorMessage string) error {
	return h.run(h.context.GetContext(), hooks.OnBatchCopyRetry, hooks.LastBatchCopyErrorVariable(errorMessage))
}

func (h *HooksExecutor) OnStatus(statusMessage string) error {
	return h.run(h.context.GetContext(), hooks.OnStatus, hooks.StatusVariable(statusMessage))
}

func (h *HooksExecutor) OnStopReplication() error {
	return h.run(h.context.GetContext(), hooks.OnStopReplication)
}

// OnStartReplication also runs when the migration's own context has ended: replication must not stay stopped for that.
func (h *HooksExecutor) OnStartReplication() error {
	return h.run(context.WithoutCancel(h.context.GetContext()), hooks.OnStartReplication)
}
