package logic

import (
	"context"
	"errors"
	"fmt"
	"sort"
	"strings"

	"github.com/github/gh-ost/go/base"
	"github.com/github/gh-ost/go/binlog"
	"github.com/github/gh-ost/go/logic/inspect"
	"github.com/github/gh-ost/go/mysql"
	"github.com/github/gh-ost/go/sql"
)

var (
	// ErrMigratorUnsupportedRenameAlter refuses an ALTER that renames the table.
	ErrMigratorUnsupportedRenameAlter = errors.New("the ALTER renames the table, which is not supported: the table keeps its name; take the RENAME out of --alter")

	// ErrMigrationNotAllowedOnMaster refuses to inspect and change a primary without leave.
	ErrMigrationNotAllowedOnMaster = errors.New("the server given by --host is the primary itself: give a replica, or allow it with --allow-on-master")
)

// validate checks what can be checked before anything is connected to.
func (mgtr *Migrator) validate(ctx context.Context) error {
	if err := mgtr.hooks.OnStartup(); err != nil {
		return err
	}
	mgtr.alter = sql.NewAlterTableParser()
	if mgtr.readsAlterLater() {
		if err := sql.NewParserUnderAnySQLMode(mgtr.context.AlterStatement).Err(); err != nil {
			return fmt.Errorf("--alter: %w", err)
		}
	} else if !mgtr.context.Revert {
		if err := mgtr.validateAlter(); err != nil {
			return err
		}
	}
	c := mgtr.context
	if err := c.ValidateTableNames(); err != nil {
		return err
	}
	mgtr.names = cutOverNames{original: mgtr.table(c.OriginalTableName), ghost: mgtr.table(c.GetGhostTableName()), old: mgtr.table(c.GetOldTableName())}
	return nil
}

// readsAlterLater tells whether the ALTER can be understood only once the sql_mode of its session is known.
func (mgtr *Migrator) readsAlterLater() bool {
	return !mgtr.context.Revert && sql.DependsOnSQLMode(mgtr.context.AlterStatement)
}

// validateAlterUnder checks an ALTER that could not be checked before the session's sql_mode was known.
func (mgtr *Migrator) validateAlterUnder(sqlMode string) error {
	if !mgtr.readsAlterLater() {
		return nil
	}
	mgtr.alter = sql.NewAlterTableParserUnder(sqlMode)
	if err := mgtr.validateAlter(); err != nil {
		return fmt.Errorf("under the server's sql_mode: %w", err)
	}
	return nil
}

func (mgtr *Migrator) validateAlter() error {
	c := mgtr.context
	if err := mgtr.alter.ParseAlterStatement(c.AlterStatement); err != nil {
		return fmt.Errorf("--alter: %w", err)
	}
	if mgtr.alter.IsRenameTable() {
		return ErrMigratorUnsupportedRenameAlter
	}
	if err := mgtr.alter.Refusal(); err != nil {
		return fmt.Errorf("--alter: %w", err)
	}
	if c.DiscardForeignKeys { // the ghost has none that could be dropped
		if err := mgtr.alter.ParseAlterStatement(mgtr.alter.OptionsWithoutForeignKeyDrops()); err != nil {
			return fmt.Errorf("--alter: %w", err)
		}
	}
	c.AlterStatementOptions = mgtr.alter.GetAlterStatementOptions()
	return mgtr.approveRenames()
}

// table names a table of the migrated table's schema.
func (mgtr *Migrator) table(name string) sql.TableName {
	return sql.TableName{Schema: mgtr.context.DatabaseName, Name: name}
}

// approveRenames wants the user's word for renamed columns, since a parser may take two unrelated columns for one.
func (mgtr *Migrator) approveRenames() error {
	c := mgtr.context
	c.DroppedColumnsMap = mgtr.alter.DroppedColumnsMap()
	if c.SkipRenamedColumns || !mgtr.alter.HasNonTrivialRenames() {
		return nil
	}
	renames := mgtr.alter.GetNonTrivialRenames()
	if !c.ApproveRenamedColumns {
		return fmt.Errorf("the ALTER renames columns: %v. If that is so, confirm it with --approve-renamed-columns and their data is carried over; "+
			"if these are unrelated columns, say --skip-renamed-columns and their data is not", renames)
	}
	var pairs []string
	for from, to := range renames {
		pairs = append(pairs, from+" to "+to)
	}
	sort.Strings(pairs)
	mgtr.log.Infof("Renamed columns, as approved: %s", strings.Join(pairs, ", "))
	c.ColumnRenameMap = renames
	return nil
}

// connect connects to both servers and makes sure that they are the right ones.
func (mgtr *Migrator) connect(ctx context.Context) (err error) {
	c := mgtr.context
	if mgtr.inspectorDB, err = c.InspectorConnectionConfig.Open(c.DatabaseName); err != nil {
		return err
	}
	if mgtr.inspector, err = mgtr.identify(ctx, c.InspectorConnectionConfig, "inspector"); err != nil {
		return err
	}
	c.InspectorMySQLVersion = mgtr.inspector.Version
	if mgtr.inspectorNames.Ignored, err = (tables{mgtr.inspectorDB}).ignoreCase(ctx); err != nil {
		return err
	}
	grants, err := mysql.ReadGrants(ctx, mgtr.inspectorDB, mgtr.inspector.Dialect, c.DatabaseName)
	if err != nil {
		return err
	}
	if err := grants.Check(); err != nil {
		return err
	}
	mgtr.log.Infof("%s", grants)
	if err := mgtr.prepareBinaryLog(ctx); err != nil {
		return err
	}
	if c.UseGTIDs {
		if err := inspect.CheckGTID(ctx, mgtr.inspectorDB, mgtr.inspector.Dialect); err != nil {
			return err
		}
		mgtr.log.Infof("gtid config validated on %s", c.InspectorConnectionConfig.Key)
	}
	mgtr.log.Infof("Inspector initiated on %s, version %s", c.InspectorConnectionConfig.Key, mgtr.inspector.Version)
	if err := mgtr.findApplier(ctx); err != nil {
		return err
	}
	if mgtr.applier, err = ConnectApplier(ctx, c.ApplierConnectionConfig, c.DatabaseName, mgtr.log); err != nil {
		return err
	}
	if _, err = mgtr.identify(ctx, c.ApplierConnectionConfig, "applier"); err != nil {
		return err
	}
	if err := mgtr.checkServers(ctx); err != nil {
		return err
	}
	c.ApplierMySQLVersion = mgtr.applier.server.Version
	mgtr.applier.pass = mgtr.seam
	mgtr.applier.safety, mgtr.applier.measure = c.SafetySettings, mgtr.measure
	mgtr.log.Infof("will use time_zone='%s' on applier", mgtr.applier.timeZone)
	mgtr.log.Infof("Applier initiated on %s, version %s", c.ApplierConnectionConfig.Key, mgtr.applier.server.Version)
	if err := mgtr.applier.setSQLMode(ctx, &c.SafetySettings); err != nil {
		return err
	}
	return mgtr.validateAlterUnder(mgtr.applier.sqlMode)
}

// identify asks a server who it is and compares that with how it was reached.
func (mgtr *Migrator) identify(ctx context.Context, config *mysql.ConnectionConfig, role string) (*mysql.Server, error) {
	db, err := config.Open("")
	if err != nil {
		return nil, err
	}
	defer db.Close() // it has only read
	identified, err := mysql.Identify(ctx, db)
	if err != nil {
		return nil, fmt.Errorf("connecting the %s to %s: %w", role, config.Key, err)
	}
	c := mgtr.context
	if !c.TrustsConfiguredAddress() {
		if !c.SkipPortValidation {
			if err := identified.CheckPort(config.Key); err != nil {
				return nil, err
			}
		}
		implied := identified.Key()
		config.ImpliedKey = &implied
	}
	mgtr.log.Infof("%s connection validated on %s", role, config.Key)
	return identified, nil
}

// inspect looks at the original table.
func (mgtr *Migrator) inspect(ctx context.Context) (err error) {
	c, db, dialect := mgtr.context, mgtr.inspectorDB, mgtr.inspector.Dialect
	if mgtr.original, err = inspect.ReadTable(ctx, db, dialect, mgtr.names.original); err != nil {
		return err
	}
	c.TableEngine = mgtr.original.Engine
	mgtr.applier.engine = mgtr.original.Engine
	mgtr.log.Infof("Table found. Engine=%s", mgtr.original.Engine)
	if !c.SkipForeignKeyChecks {
		if err := inspect.CheckForeignKeys(ctx, db, mgtr.names.original, c.DiscardForeignKeys); err != nil {
			return err
		}
	}
	if !c.IncludeTriggers && !c.Revert { // a revert has its own look
		if err := inspect.CheckTriggers(ctx, db, mgtr.names.original); err != nil {
			return err
		}
	}
	if err := mgtr.original.RequireUniqueKey(); err != nil {
		return err
	}
	if err := inspect.CheckWritable(ctx, db, dialect, mgtr.names.original); err != nil {
		return err
	}
	estimate, err := inspect.EstimateRows(ctx, db, dialect, mgtr.names.original)
	if err != nil {
		return err
	}
	c.SetRowsEstimate(estimate)
	c.UsedRowsEstimateMethod = base.ExplainRowsEstimate
	mgtr.log.Infof("Estimated number of rows via EXPLAIN: %d", estimate)
	applied, err := inspect.ReadTable(ctx, mgtr.applier.general, mgtr.applier.server.Dialect, mgtr.names.original)
	if err != nil {
		return err
	}
	return inspect.ColumnsAgree(mgtr.original, applied)
}

// stream begins to read the inspected server's binary log, from now on.
func (mgtr *Migrator) stream(ctx context.Context) error {
	from, err := mgtr.currentCoordinates(ctx)
	if err != nil {
		return err
	}
	mgtr.streamer = mgtr.newStreamer()
	return mgtr.runStreamer(ctx, from)
}

// currentCoordinates is where the inspected server's binary log ends.
func (mgtr *Migrator) currentCoordinates(ctx context.Context) (mysql.BinlogCoordinates, error) {
	if mgtr.context.UseGTIDs {
		return mysql.ReadGTIDBinlogCoordinates(ctx, mgtr.inspectorDB, mgtr.inspector.Dialect)
	}
	return mysql.ReadFileBinlogCoordinates(ctx, mgtr.inspectorDB, mgtr.inspector.Dialect)
}

// newStreamer returns a streamer that has not begun to read.
func (mgtr *Migrator) newStreamer() *EventsStreamer {
	c := mgtr.context
	streamer := NewEventsStreamer(binlog.Settings{
		Connection:           c.InspectorConnectionConfig,
		ServerID:             uint32(c.ReplicaServerId),
		Flavor:               mgtr.inspector.Dialect.Flavor(),
		UseGTID:              c.UseGTIDs,
		MaxReconnectAttempts: c.BinlogSyncerMaxReconnectAttempts,
		OnReconnect: func(err error, at mysql.BinlogCoordinates) {
			c.MarkPointOfInterest()
			_ = mgtr.log.Errorf("StreamEvents encountered unexpected error: %v", err)
			mgtr.log.Infof("Reconnecting EventsStreamer... Will resume at %s", at.DisplayString())
		},
		// What was prepared before the stream began and is committed before the copy begins is copied.
		OnUnseenXA: func(xid string, at mysql.BinlogCoordinates) error {
			if c.ElapsedRowCopyTime() == 0 && mgtr.earlier == nil {
				return nil
			}
			return fmt.Errorf("the XA transaction %s, prepared before the migration began, was committed at %s during the row copy: its rows were not seen. Start again", xid, at.DisplayString())
		},
	}, mgtr.names.original, mgtr.table(c.GetChangelogTableName()), mgtr.inspectorNames, mgtr.backlog, c.SetLastHeartbeatOnChangelogTime, mgtr.log)
	streamer.texts = newTextChanges(mgtr.inspectorDB, mgtr.names.original, mgtr.inspectorNames, mgtr.log)
	return streamer
}

// runStreamer reads from the given place on, and returns when the server has begun to send.
func (mgtr *Migrator) runStreamer(ctx context.Context, from mysql.BinlogCoordinates) error {
	c := mgtr.context
	mgtr.log.Infof("Connecting binlog streamer at %s", from.DisplayString())
	mgtr.background(func(ctx context.Context) error {
		err := mgtr.streamer.Run(ctx, from)
		if foreign := new(ForeignCheckpointError); binlog.IsLost(err) || errors.As(err, &foreign) {
			mgtr.logIsLost.Store(true)
		}
		return err
	})
	select {
	case <-mgtr.streamer.Connected():
	case <-ctx.Done():
		return ctx.Err()
	}
	mgtr.log.Infof("streamer connection validated on %s", c.InspectorConnectionConfig.Key)
	return nil
}
