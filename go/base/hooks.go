package base

import "time"

// Hooks is told what the migration goes through. Except where said otherwise an error ends the run.
type Hooks interface {
	// OnStartup is called before anything is connected to.
	OnStartup() error
	// OnValidated is called when the tables have been inspected and the ghost table stands.
	OnValidated() error
	// OnRowCountComplete is called when the rows have been counted exactly. An error only counts when the copy waits for the count.
	OnRowCountComplete() error
	// OnBeforeRowCopy is called before the first chunk.
	OnBeforeRowCopy() error
	// OnRowCopyComplete is called when the last chunk is copied.
	OnRowCopyComplete() error
	// OnBeginPostponed is called when the cut-over begins to be postponed. An error fails that attempt.
	OnBeginPostponed() error
	// OnBeforeCutOver is called once, before the first cut-over attempt.
	OnBeforeCutOver() error
	// OnInteractiveCommand is called for each command received. An error keeps the command from being executed.
	OnInteractiveCommand(command string) error
	// OnSuccess is called when everything is done. instantDDL: the change was made in place by the server.
	OnSuccess(instantDDL bool) error
	// OnFailure is called when the run has ended in an error. Its own error is logged only.
	OnFailure() error
	// OnBatchCopyRetry is called when an attempt to copy a chunk failed. Its error is logged only.
	OnBatchCopyRetry(errorMessage string) error
	// OnStatus is called with a status line, every HooksStatusIntervalSec seconds. Its error is logged only.
	OnStatus(statusMessage string) error
	// OnStopReplication is called before replication is stopped to test on a replica. An error fails that attempt.
	OnStopReplication() error
	// OnStartReplication is called before replication is started again after a failed attempt. Its error is logged only.
	OnStartReplication() error
}

// HookSettings says where hook scripts are and what they are told.
type HookSettings struct {
	// HooksPath is the directory of the hook scripts. Empty: none.
	HooksPath string
	// HooksHintMessage, HooksHintOwner and HooksHintToken are passed to the scripts as they are.
	HooksHintMessage string
	HooksHintOwner   string
	HooksHintToken   string
	// HooksStatusIntervalSec is the time between status hooks, in seconds. 0 or less: no status hooks.
	HooksStatusIntervalSec int64
	// HooksTimeoutSeconds ends a hook script that runs longer, in seconds. 0: it may run for ever.
	HooksTimeoutSeconds int64
}

// HooksTimeout is HooksTimeoutSeconds as a duration; 0 means no limit.
func (h *HookSettings) HooksTimeout() time.Duration {
	return time.Duration(max(h.HooksTimeoutSeconds, 0)) * time.Second
}
