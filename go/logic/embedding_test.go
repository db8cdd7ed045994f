package logic_test

import (
	"context"
	"crypto/tls"
	gosql "database/sql"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	gomysql "github.com/go-mysql-org/go-mysql/mysql"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/github/gh-ost/go/base"
	"github.com/github/gh-ost/go/internal/testserver"
	"github.com/github/gh-ost/go/logic"
	"github.com/github/gh-ost/go/metrics"
	"github.com/github/gh-ost/go/mysql"
	"github.com/github/gh-ost/go/sql"
)

// These tests stand where an embedding program stands: outside, with the exported names only.

// program is such a program's hooks.
type program struct {
	mutex   sync.Mutex
	moments []string
	refuse  string // the moment at which it wants the run to end
}

func (p *program) at(moment string) error {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.moments = append(p.moments, moment)
	if moment == p.refuse {
		return errors.New("the program does not want " + moment)
	}
	return nil
}

func (p *program) OnStartup() error                       { return p.at("startup") }
func (p *program) OnValidated() error                     { return p.at("validated") }
func (p *program) OnRowCountComplete() error              { return p.at("rowcount-complete") }
func (p *program) OnBeforeRowCopy() error                 { return p.at("before-row-copy") }
func (p *program) OnRowCopyComplete() error               { return p.at("row-copy-complete") }
func (p *program) OnBeginPostponed() error                { return p.at("begin-postponed") }
func (p *program) OnBeforeCutOver() error                 { return p.at("before-cut-over") }
func (p *program) OnInteractiveCommand(name string) error { return p.at("command " + name) }
func (p *program) OnSuccess(instantDDL bool) error        { return p.at("success") }
func (p *program) OnFailure() error                       { return p.at("failure") }
func (p *program) OnBatchCopyRetry(message string) error  { return nil }
func (p *program) OnStatus(line string) error             { return nil }
func (p *program) OnStopReplication() error               { return p.at("stop-replication") }
func (p *program) OnStartReplication() error              { return p.at("start-replication") }

// setUp is what an embedding program does, in its documented order.
func setUp(t *testing.T, server *testserver.Server, schema string) *base.MigrationContext {
	m := base.NewMigrationContext()
	m.DatabaseName, m.OriginalTableName = schema, "t"
	m.AlterStatement = "ADD COLUMN extra int NOT NULL DEFAULT 7"
	m.AlterStatementOptions = sql.NewParserFromAlterStatement(m.AlterStatement).GetAlterStatementOptions()
	m.InspectorConnectionConfig.Key = mysql.InstanceKey{Hostname: server.Host, Port: server.Port}
	m.CliUser, m.CliPassword = server.User, server.Password
	m.AllowedRunningOnMaster = true
	m.ReplicaServerId = 424242
	directory, err := os.MkdirTemp("", "gho")
	require.NoError(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(directory) })
	m.ServeSocketFile = filepath.Join(directory, "s")
	m.ThrottleHTTPIntervalMillis = 100
	m.SetHeartbeatIntervalMilliseconds(100)
	require.NoError(t, m.SetConnectionConfig("innodb"))
	m.SetConnectionCharset("utf8mb4")
	require.NoError(t, m.SetExponentialBackoffMaxInterval(64))
	m.ApplyCredentials()
	require.NoError(t, m.SetupTLS())
	return m
}

func TestAProgramMigratesATableWithHooksOfItsOwn(t *testing.T) {
	testserver.Both(t, func(t *testing.T, server *testserver.Server) {
		schema := server.Schema(t)
		server.Exec(t, "CREATE TABLE "+schema+".t (id int PRIMARY KEY, v varchar(20)); INSERT INTO "+schema+".t VALUES (1, 'one'), (2, 'two'), (3, 'three')")
		m := setUp(t, server, schema)
		first, second := &program{}, &program{}
		m.Hooks = logic.CompositeHooks{first, nil, second, logic.NewHooksExecutor(m)}
		m.Metrics = metrics.Noop

		migrator := logic.NewMigrator(m, "1.0-embedded")
		require.NoError(t, migrator.Migrate())

		wanted := []string{"startup", "validated", "before-row-copy", "row-copy-complete", "before-cut-over", "success"}
		assert.Equal(t, wanted, first.moments)
		assert.Equal(t, wanted, second.moments)
		assert.EqualValues(t, 3, m.GetTotalRowsCopied())
		assert.EqualValues(t, 1, m.GetIteration())
		assert.True(t, m.IsCutOverComplete())
		assert.Equal(t, "PRIMARY", m.UniqueKey.Name)
		assert.Equal(t, []string{"id", "v"}, m.SharedColumns.Names())
		assert.Equal(t, []string{"id", "v"}, m.MappedSharedColumns.Names())
		assert.Equal(t, "InnoDB", m.TableEngine)
		assert.Equal(t, m.InspectorMySQLVersion, m.ApplierMySQLVersion)
		assert.Equal(t, server.Version, m.ApplierMySQLVersion)
		assert.True(t, m.IsTransactionalTable() && m.HasMigrationRange() && m.InspectorIsAlsoApplier())
		assert.NotEmpty(t, m.GetApplierHostname())
		assert.False(t, m.GetRecentBinlogCoordinates() == nil && m.ElapsedTime() > 2*time.Second)
		assert.Positive(t, m.ElapsedTime())
		assert.Positive(t, m.ElapsedRowCopyTime())
		assert.True(t, m.RowCopyStartTime.Before(m.RowCopyEndTime))
		assert.NoError(t, m.GetAbortError())
		var extra int
		require.NoError(t, server.SchemaDB(t, schema).QueryRow("SELECT SUM(extra) FROM t").Scan(&extra))
		assert.Equal(t, 21, extra)
	})
}

func TestAProgramEndsARun(t *testing.T) {
	server := testserver.Shared(t, testserver.MySQL)
	unwanted := errors.New("the program changed its mind")
	for name, end := range map[string]func(m *base.MigrationContext, hooks *program){
		"by a hook": func(_ *base.MigrationContext, hooks *program) { hooks.refuse = "before-cut-over" },
		"by PanicAbort": func(m *base.MigrationContext, _ *program) {
			go func() {
				for m.GetTotalRowsCopied() == 0 {
					time.Sleep(time.Millisecond)
				}
				_ = base.SendWithContext(m.GetContext(), m.PanicAbort, unwanted)
			}()
		},
	} {
		t.Run(name, func(t *testing.T) {
			schema := server.Schema(t)
			server.Exec(t, "CREATE TABLE "+schema+".t (id int PRIMARY KEY); INSERT INTO "+schema+".t VALUES (1)")
			m := setUp(t, server, schema)
			hooks := &program{}
			m.Hooks = hooks
			m.PostponeCutOverFlagFile = filepath.Join(t.TempDir(), "wait")
			end(m, hooks)
			migrator := logic.NewMigrator(m, "1.0-embedded")

			err := migrator.Migrate()

			require.Error(t, err)
			if hooks.refuse != "" {
				require.ErrorContains(t, err, "the program does not want before-cut-over")
			} else {
				require.ErrorIs(t, err, unwanted)
				require.ErrorIs(t, m.AbortError, unwanted)
			}
			require.NoError(t, migrator.ExecOnFailureHook())
			assert.Equal(t, "failure", hooks.moments[len(hooks.moments)-1])
			assert.False(t, m.IsCutOverComplete())
		})
	}
}

func TestTheFirstOfSeveralHooksThatRefusesDecides(t *testing.T) {
	first, refusing, last := &program{}, &program{refuse: "startup"}, &program{}
	hooks := logic.CompositeHooks{nil, first, refusing, last}
	require.ErrorContains(t, hooks.OnStartup(), "does not want startup")
	assert.Equal(t, []string{"startup"}, first.moments)
	assert.Empty(t, last.moments)
	for _, call := range []func() error{
		hooks.OnValidated, hooks.OnRowCountComplete, hooks.OnBeforeRowCopy, hooks.OnRowCopyComplete, hooks.OnBeginPostponed, hooks.OnBeforeCutOver,
		func() error { return hooks.OnInteractiveCommand("status") }, func() error { return hooks.OnSuccess(false) }, hooks.OnFailure,
		func() error { return hooks.OnBatchCopyRetry("x") }, func() error { return hooks.OnStatus("x") }, hooks.OnStopReplication, hooks.OnStartReplication,
	} {
		require.NoError(t, call())
	}
	assert.Equal(t, []string{"validated", "rowcount-complete", "before-row-copy", "row-copy-complete", "begin-postponed", "before-cut-over",
		"command status", "success", "failure", "stop-replication", "start-replication"}, last.moments)
}

// That these compile is the test: programs use the names with these types.
func TestNamesThatProgramsUseHaveTheirTypes(t *testing.T) {
	var (
		_ func(*base.MigrationContext, string) *logic.Migrator       = logic.NewMigrator
		_ func(*base.MigrationContext) *logic.HooksExecutor          = logic.NewHooksExecutor
		_ func(string) logic.ChangelogState                          = logic.ReadChangelogState
		_ func(string) (*mysql.InstanceKey, error)                   = mysql.ParseInstanceKey
		_ func(string, int64) *mysql.FileBinlogCoordinates           = mysql.NewFileBinlogCoordinates
		_ func(string) (*mysql.FileBinlogCoordinates, error)         = mysql.ParseFileBinlogCoordinates
		_ func(string, string) (*mysql.GTIDBinlogCoordinates, error) = mysql.NewGTIDBinlogCoordinates
		_ func(string) (*gosql.DB, error)                            = mysql.OpenDB
		_ func(string, string) (*gosql.DB, bool, error)              = mysql.GetDB
		_ func(string) bool                                          = mysql.IsMariaDB
		_ func(string, string) string                                = mysql.ReplicaTermFor
		_ func(string) *sql.AlterTableParser                         = sql.NewParserFromAlterStatement
		_ func() *sql.AlterTableParser                               = sql.NewAlterTableParser
		_ func(string) string                                        = sql.EscapeName
		_ func(string, []string, string) (*metrics.Client, error)    = metrics.NewClient
		_ func(context.Context, *metrics.Client, time.Duration)      = metrics.StartGoRuntimeReporter
		_ metrics.Emitter                                            = metrics.Noop
		_ base.Hooks                                                 = logic.NewHooksExecutor(base.NewMigrationContext())
		_ gomysql.GTIDSet                                            = (&mysql.GTIDBinlogCoordinates{}).GTIDSet
		_                                                            = mysql.Trigger{Name: "", Event: "", Statement: "", Timing: ""}
		_                                                            = mysql.ReplicationLagResult{Key: mysql.InstanceKey{}, Lag: 0, Err: nil}
		_                                                            = sql.UniqueKey{Name: "", NameInGhostTable: "", HasNullable: false, IsAutoIncrement: false}
		_ *sql.ColumnValues
		_ sql.Column
	)
	assert.Equal(t, []error{logic.ErrMigratorUnsupportedRenameAlter, logic.ErrMigrationNotAllowedOnMaster, logic.ErrCPUProfilingBadOption, logic.ErrCPUProfilingInProgress},
		unique([]error{logic.ErrMigratorUnsupportedRenameAlter, logic.ErrMigrationNotAllowedOnMaster, logic.ErrCPUProfilingBadOption, logic.ErrCPUProfilingInProgress}))
	assert.Equal(t, "gh-ost changelog", logic.GhostChangelogTableComment)
	assert.Equal(t, logic.AllEventsUpToLockProcessed, logic.ReadChangelogState("AllEventsUpToLockProcessed:123"))
	for _, state := range []logic.ChangelogState{logic.GhostTableMigrated, logic.Migrated, logic.ReadMigrationRangeValues} {
		assert.Equal(t, state, logic.ReadChangelogState(string(state)))
	}

	config := mysql.NewConnectionConfig()
	config.Key, config.User, config.Password, config.Timeout, config.TransactionIsolation, config.Charset = mysql.InstanceKey{Hostname: "h", Port: mysql.DefaultInstancePort}, "u", "p", 1.5, "", "utf8mb4"
	other := config.DuplicateCredentials(mysql.InstanceKey{Hostname: "g", Port: 3307})
	assert.True(t, config.Equals(config.Duplicate()) && !config.Equals(other))
	assert.Contains(t, other.GetDBUri("shop"), "tcp(g:3307)/shop")
	assert.NotContains(t, config.String(), "p=")
	require.NoError(t, config.UseTLS("", "", "", true))
	require.NoError(t, config.RegisterTLSConfig())
	var encrypted *tls.Config = config.TLSConfig()
	assert.True(t, encrypted.InsecureSkipVerify)

	var at mysql.BinlogCoordinates = &mysql.FileBinlogCoordinates{LogFile: "b.000001", LogPos: 40, EventSize: 36}
	assert.Equal(t, "b.000001:40", at.DisplayString())
	assert.True(t, at.Equals(mysql.NewFileBinlogCoordinates("b.000001", 40)) && at.SmallerThanOrEquals(at.Clone()) && !at.SmallerThan(at) && !at.IsEmpty())

	keys := mysql.NewInstanceKeyMap()
	require.NoError(t, keys.ReadCommaDelimitedList("a:1,b"))
	keys.AddKey(mysql.InstanceKey{Hostname: "c", Port: 3})
	keys.AddKeys(keys.GetInstanceKeys())
	assert.True(t, keys.HasKey(mysql.InstanceKey{Hostname: "b", Port: 3306}))
	assert.Equal(t, 3, keys.Len())
	assert.Len(t, strings.Split(keys.ToCommaDelimitedList(), ","), 3)
	text, err := keys.ToJSON()
	require.NoError(t, err)
	require.NoError(t, mysql.NewInstanceKeyMap().ReadJson(text))
	assert.JSONEq(t, text, keys.ToJSONString())
	assert.Equal(t, []any{64, 3, "8.4", "mysql", "mariadb"}, []any{mysql.MaxTableNameLength, mysql.MaxDBPoolConnections, mysql.MysqlVersionCutoff, mysql.MySQLFlavor, mysql.MariaDBFlavor})
	assert.Equal(t, mysql.MariaDBFlavor, mysql.FlavorFor("10.11.4-MariaDB"))

	parser := sql.NewAlterTableParser()
	require.NoError(t, parser.ParseAlterStatement("ALTER TABLE shop.orders CHANGE a b int, DROP c, AUTO_INCREMENT = 7"))
	assert.Equal(t, map[string]string{"a": "b"}, parser.GetNonTrivialRenames())
	assert.Equal(t, map[string]bool{"c": true}, parser.DroppedColumnsMap())
	assert.True(t, parser.HasNonTrivialRenames() && parser.IsAutoIncrementDefined() && !parser.IsRenameTable())
	assert.True(t, parser.HasExplicitSchema() && parser.HasExplicitTable())
	assert.Equal(t, "shop.orders", parser.GetExplicitSchema()+"."+parser.GetExplicitTable())
}

func unique(all []error) (different []error) {
	for _, err := range all {
		known := false
		for _, other := range different {
			known = known || errors.Is(err, other)
		}
		if !known {
			different = append(different, err)
		}
	}
	return different
}
