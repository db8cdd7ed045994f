package base

import (
	"context"
	"crypto/rand"
	"fmt"
	"strings"
	"sync"

	"github.com/github/gh-ost/go/metrics"
	"github.com/github/gh-ost/go/mysql"
)

// MigrationContext is one migration: what it is told to do, what an operator changes meanwhile, what it has found and how
// far it is. NewMigrationContext makes one; it must not be copied.
type MigrationContext struct {
	Progress
	ThrottleState
	ControlReplicasLag
	Timeline
	LiveSettings

	TargetSettings
	ConnectionSettings
	TLSSettings
	ModeSettings
	SafetySettings
	RowCountSettings
	PaceSettings
	TriggerSettings
	ThrottlingSettings
	CutOverSettings
	ServingSettings
	HookSettings

	Discovered

	// Uuid identifies this run, also as a key for its connection pools.
	Uuid string
	// Hooks is told what the migration goes through. Nil: the scripts at HooksPath. It is read once, by the migrator's
	// constructor.
	Hooks Hooks
	// Log is reported to.
	Log Logger
	// Metrics is measured to. Nil: nothing is. Emitter never returns nil.
	Metrics metrics.Emitter
	// PanicAbort takes an error that ends the migration at once, without cleaning up. It is not buffered: send to it with
	// SendWithContext, as nobody receives any more once the run is over.
	PanicAbort chan error

	// AbortError is the first error handed to SetAbortError. Read it after the run; GetAbortError at any time.
	AbortError error

	abortMutex sync.Mutex
	ctx        context.Context //nolint:containedctx // the run's own life, started and ended through this value
	cancel     context.CancelCauseFunc

	fileMutex    sync.Mutex
	fileSettings FileSettings
}

// NewMigrationContext returns a context with a random Uuid and the defaults of an unconfigured run.
func NewMigrationContext() *MigrationContext {
	ctx, cancel := context.WithCancelCause(context.Background()) //nolint:forbidigo // a run begins here
	c := &MigrationContext{
		Uuid:       newUUID(),
		Log:        NewDefaultLogger(),
		PanicAbort: make(chan error),
		ctx:        ctx,
		cancel:     cancel,
	}
	c.InspectorConnectionConfig = mysql.NewConnectionConfig()
	c.ApplierConnectionConfig = mysql.NewConnectionConfig()
	c.CutOverLockTimeoutSeconds = DefaultCutOverLockTimeoutSeconds
	c.ExponentialBackoffMaxInterval = DefaultExponentialBackoffMaxInterval
	c.PaceSettings = PaceSettings{CopyConcurrency: DefaultCopyConcurrency, ApplyConcurrency: DefaultApplyConcurrency, ChunkTimeMillis: DefaultChunkTimeMillis, CopyYieldRatio: DefaultCopyYieldRatio}
	c.ColumnRenameMap = map[string]string{}
	c.DroppedColumnsMap = map[string]bool{}
	c.LiveSettings.setDefaults()
	c.SetETADuration(ETAUnknown)
	return c
}

// newUUID returns a random UUID (version 4, RFC 9562).
func newUUID() string {
	var id [16]byte
	_, _ = rand.Read(id[:]) // never fails
	id[6] = id[6]&0x0f | 0x40
	id[8] = id[8]&0x3f | 0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", id[:4], id[4:6], id[6:8], id[8:10], id[10:])
}

// Emitter is Metrics, or an emitter that does nothing.
func (c *MigrationContext) Emitter() metrics.Emitter {
	if c.Metrics == nil {
		return metrics.Noop
	}
	return c.Metrics
}

// IsTransactionalTable tells whether the original's storage engine has transactions.
func (c *MigrationContext) IsTransactionalTable() bool {
	switch strings.ToLower(c.TableEngine) {
	case "innodb", "rocksdb", "tokudb":
		return true
	}
	return false
}

// RequiresBinlogFormatChange tells whether the inspected server logs in a format other than ROW.
func (c *MigrationContext) RequiresBinlogFormatChange() bool {
	return c.OriginalBinlogFormat != "" && !strings.EqualFold(c.OriginalBinlogFormat, "ROW")
}
