package base_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/github/gh-ost/go/base"
	"github.com/github/gh-ost/go/metrics"
	"github.com/github/gh-ost/go/mysql"
	"github.com/github/gh-ost/go/sql"
)

// silentHooks shows that the interface can be implemented from outside.
type silentHooks struct{}

func (silentHooks) OnStartup() error                  { return nil }
func (silentHooks) OnValidated() error                { return nil }
func (silentHooks) OnRowCountComplete() error         { return nil }
func (silentHooks) OnBeforeRowCopy() error            { return nil }
func (silentHooks) OnRowCopyComplete() error          { return nil }
func (silentHooks) OnBeginPostponed() error           { return nil }
func (silentHooks) OnBeforeCutOver() error            { return nil }
func (silentHooks) OnInteractiveCommand(string) error { return nil }
func (silentHooks) OnSuccess(bool) error              { return nil }
func (silentHooks) OnFailure() error                  { return nil }
func (silentHooks) OnBatchCopyRetry(string) error     { return nil }
func (silentHooks) OnStatus(string) error             { return nil }
func (silentHooks) OnStopReplication() error          { return nil }
func (silentHooks) OnStartReplication() error         { return nil }

// A program that embeds gh-ost sets a migration up like this. That it compiles is most of the test: these names are
// promised to such programs.
func TestEmbeddingProgramSetsAMigrationUp(t *testing.T) {
	m := base.NewMigrationContext()

	m.DatabaseName, m.OriginalTableName, m.OldTableName, m.ForceTmpTableName = "shop", "orders", "", ""
	m.AlterStatement, m.AlterStatementOptions = "ENGINE=InnoDB", "ENGINE=InnoDB"
	m.InspectorConnectionConfig, m.ApplierConnectionConfig = mysql.NewConnectionConfig(), mysql.NewConnectionConfig()
	m.AssumeMasterHostname, m.CliUser, m.CliPassword, m.CliMasterUser, m.CliMasterPassword, m.ConfigFile = "", "u", "p", "", "", ""
	m.ReplicaServerId, m.BinlogSyncerMaxReconnectAttempts = 99999, 0
	m.SkipPortValidation, m.UseGTIDs, m.AliyunRDS, m.GoogleCloudPlatform, m.AzureMySQL = false, false, false, false, false
	m.UseTLS, m.TLSAllowInsecure, m.TLSCACertificate, m.TLSCertificate, m.TLSKey = false, false, "", "", ""
	m.Noop, m.TestOnReplica, m.TestOnReplicaSkipReplicaStop, m.MigrateOnReplica = true, false, false, false
	m.AllowedRunningOnMaster, m.AllowedMasterMaster, m.IsTungsten, m.SwitchToRowBinlogFormat, m.AssumeRBR = true, false, false, false, true
	m.AttemptInstantDDL, m.Resume, m.Revert, m.Checkpoint, m.CheckpointIntervalSeconds = false, false, false, false, 300
	m.SkipForeignKeyChecks, m.DiscardForeignKeys, m.NullableUniqueKeyAllowed = false, false, false
	m.ApproveRenamedColumns, m.SkipRenamedColumns, m.SkipStrictMode, m.AllowZeroInDate = false, false, false, false
	m.PanicOnWarnings, m.OkToDropTable, m.InitiallyDropOldTable, m.InitiallyDropGhostTable = false, true, true, true
	m.TimestampOldTable, m.SkipMetadataLockCheck, m.AllowSetupMetadataLockInstruments = false, false, false
	m.AnalyzeGhostTableBeforeCutOver, m.CountTableRows, m.ConcurrentCountTableRows = false, false, true
	m.IncludeTriggers, m.RemoveTriggerSuffix, m.TriggerSuffix = false, false, ""
	m.ThrottleFlagFile, m.ThrottleAdditionalFlagFile = "", ""
	m.ThrottleHTTPIntervalMillis, m.ThrottleHTTPTimeoutMillis = int64(100), int64(1000)
	m.CriticalLoadIntervalMilliseconds, m.CriticalLoadHibernateSeconds = int64(0), int64(0)
	m.CutOverType, m.CutOverExponentialBackoff = base.CutOverTwoStep, false
	m.ForceNamedCutOverCommand, m.ForceNamedPanicCommand, m.PostponeCutOverFlagFile, m.PanicFlagFile = false, false, "", ""
	m.ServeSocketFile, m.ServeTCPPort, m.DropServeSocket = "/tmp/x.sock", int64(0), true
	m.Hooks, m.HooksPath, m.HooksHintMessage, m.HooksHintOwner, m.HooksHintToken = silentHooks{}, "", "", "", ""
	m.HooksStatusIntervalSec = int64(60)
	m.Log, m.Metrics = base.NewDefaultLogger(), metrics.Noop
	m.CutOverType = base.CutOverAtomic

	require.NoError(t, m.SetConnectionConfig("innodb"))
	m.SetConnectionCharset("utf8mb4")
	m.SetChunkSize(1000)
	m.SetDMLBatchSize(10)
	m.SetNiceRatio(0.5)
	m.SetMaxLagMillisecondsThrottleThreshold(1500)
	m.SetHeartbeatIntervalMilliseconds(100)
	m.SetDefaultNumRetries(60)
	require.NoError(t, m.SetCutOverLockTimeoutSeconds(3))
	require.NoError(t, m.SetExponentialBackoffMaxInterval(64))
	m.SetThrottleQuery("")
	m.SetThrottleHTTP("")
	m.SetIgnoreHTTPErrors(false)
	require.NoError(t, m.ReadMaxLoad(""))
	require.NoError(t, m.ReadCriticalLoad(""))
	require.NoError(t, m.ReadThrottleControlReplicaKeys(""))
	require.NoError(t, m.AddThrottleControlReplicaKey(mysql.InstanceKey{Hostname: "replica", Port: 3306}))
	require.NoError(t, m.ReadConfigFile())
	m.ApplyCredentials()
	require.NoError(t, m.SetupTLS())

	assert.Equal(t, "u", m.InspectorConnectionConfig.User)
	assert.False(t, m.HasMigrationRange())
	assert.True(t, m.InspectorIsAlsoApplier())
}

func TestEmbeddingProgramWatchesAMigration(t *testing.T) {
	m := base.NewMigrationContext()
	atomic.StoreInt64(&m.ThrottleCommandedByUser, 1)
	for _, counter := range []*int64{
		&m.RowsEstimate, &m.RowsDeltaEstimate, &m.TotalRowsCopied, &m.TotalDMLEventsApplied, &m.CurrentLag, &m.EtaRowsPerSecond,
		&m.Iteration, &m.IsPostponingCutOver, &m.CutOverCompleteFlag, &m.InCutOverCriticalSectionFlag,
	} {
		assert.Zero(t, atomic.LoadInt64(counter))
	}
	for _, moment := range []time.Time{
		m.StartTime, m.RowCopyStartTime, m.RowCopyEndTime, m.LockTablesStartTime, m.RenameTablesStartTime, m.RenameTablesEndTime,
	} {
		assert.True(t, moment.IsZero())
	}
	var (
		key             *sql.UniqueKey    = m.UniqueKey
		shared, mapped  *sql.ColumnList   = m.SharedColumns, m.MappedSharedColumns
		renamed         map[string]string = m.ColumnRenameMap
		dropped         map[string]bool   = m.DroppedColumnsMap
		engine, version string            = m.TableEngine, m.InspectorMySQLVersion + m.ApplierMySQLVersion
		lag             time.Duration     = m.GetCurrentLagDuration()
		worst                             = m.GetControlReplicasLagResult()
		coordinates                       = m.GetRecentBinlogCoordinates()
	)
	assert.Nil(t, key)
	assert.Nil(t, shared)
	assert.Nil(t, mapped)
	assert.Empty(t, renamed)
	assert.Empty(t, dropped)
	assert.Empty(t, engine+version+m.GetApplierHostname())
	assert.Zero(t, lag)
	assert.False(t, worst.HasLag())
	assert.Nil(t, coordinates)
	assert.Zero(t, m.GetProgressPct()+float64(m.GetIteration()+m.GetTotalRowsCopied()))
	assert.Equal(t, time.Duration(base.ETAUnknown), m.GetETADuration())
	assert.False(t, m.IsTransactionalTable())
	assert.False(t, m.RequiresBinlogFormatChange())

	unreachable := errors.New("unreachable")
	m.SetControlReplicasLagResult(&mysql.ReplicationLagResult{Err: unreachable})
	assert.Same(t, unreachable, m.GetControlReplicasLagResult().Err)
	m.SetControlReplicasLagResult(nil)
	assert.NoError(t, m.GetControlReplicasLagResult().Err)

	go func() { _ = base.SendWithContext(t.Context(), m.PanicAbort, unreachable) }()
	assert.Same(t, unreachable, <-m.PanicAbort)
	m.SetAbortError(unreachable)
	m.CancelContext()
	assert.Same(t, unreachable, context.Cause(m.GetContext()))
	assert.Same(t, unreachable, m.AbortError)
}
