package logic

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/github/gh-ost/go/base"
	"github.com/github/gh-ost/go/logic/inspect"
	"github.com/github/gh-ost/go/logic/server"
	"github.com/github/gh-ost/go/mysql"
	"github.com/github/gh-ost/go/sql"
)

// takeLock takes the migration lock.
func (mgtr *Migrator) takeLock(ctx context.Context) (err error) {
	c := mgtr.context
	if c.IgnoresNameCase, err = (tables{mgtr.applier.general}).ignoreCase(ctx); err != nil {
		return err
	}
	names := append([]string{c.GetMigrationLockName()}, c.HelperLockNames()...)
	if mgtr.migrationLock, err = acquireMigrationLock(ctx, c.ApplierConnectionConfig, names); err != nil {
		return err
	}
	mgtr.log.Infof("Acquired migration lock %s", names[0])
	mgtr.background(mgtr.migrationLock.watch)
	return nil
}

// createTables makes the changelog and the ghost table.
func (mgtr *Migrator) createTables(ctx context.Context) (err error) {
	c := mgtr.context
	if err := mgtr.applier.checkMetadataLocks(ctx); err != nil {
		return err
	}
	if err := mgtr.makeRoom(ctx); err != nil {
		return err
	}
	if err := mgtr.createChangelog(ctx); err != nil {
		return err
	}
	if err := mgtr.createGhost(ctx); err != nil {
		return err
	}
	if err := mgtr.recordGhost(ctx); err != nil {
		return err
	}
	if err := mgtr.prepareTriggers(ctx); err != nil {
		return err
	}
	if err := mgtr.touchPostponeFile(); err != nil {
		return err
	}
	mgtr.throttler, mgtr.meter = newThrottler(mgtr)
	arrived, forget := mgtr.streamer.Expect(string(GhostTableMigrated))
	defer forget()
	if err := mgtr.changelog.WriteState(ctx, string(GhostTableMigrated)); err != nil {
		return err
	}
	mgtr.beginHeartbeats()
	mgtr.log.Infof("Waiting for ghost table to be migrated. Current lag is %s", c.GetCurrentLagDuration())
	waitBegan := time.Now()
	defer func() { mgtr.measure.sleep(replicaWaitSleep, time.Since(waitBegan)) }()
	select {
	case <-arrived:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (mgtr *Migrator) createChangelog(ctx context.Context) error {
	changelog := mgtr.table(mgtr.context.GetChangelogTableName())
	mgtr.changelog = NewChangelog(mgtr.applier.general, changelog)
	mgtr.log.Infof("Creating changelog table %s", changelog)
	if err := mgtr.create(changelog, func() error { return mgtr.changelog.Create(ctx) }); err != nil {
		return err
	}
	mgtr.log.Infof("Changelog table created")
	return nil
}

func (mgtr *Migrator) beginHeartbeats() {
	c := mgtr.context
	mgtr.heartbeat = &heartbeat{changelog: mgtr.changelog, interval: c.HeartbeatInterval, retries: c.MaxRetries(), skip: mgtr.mayNotBeat,
		failed: func(err error) { _ = mgtr.log.Errore(err) }}
	mgtr.background(mgtr.heartbeat.run)
}

// create makes a helper table. It is noted beforehand: a statement that was cancelled may take effect all the same.
func (mgtr *Migrator) create(table sql.TableName, create func() error) error {
	mgtr.created = append(mgtr.created, table)
	err := create()
	if mysql.IsTableExists(err) { // somebody else has made it meanwhile
		mgtr.created = mgtr.created[:len(mgtr.created)-1]
	}
	return err
}

// makeRoom removes what may be removed of an earlier run, and refuses to start over what may not.
func (mgtr *Migrator) makeRoom(ctx context.Context) error {
	c := mgtr.context
	if err := mgtr.vacate(ctx, mgtr.names.ghost, c.InitiallyDropGhostTable, "--initially-drop-ghost-table"); err != nil {
		return err
	}
	if err := mgtr.vacate(ctx, mgtr.names.old, c.InitiallyDropOldTable, "--initially-drop-old-table"); err != nil {
		return err
	}
	if err := mgtr.removeChangelog(ctx); err != nil {
		return err
	}
	// Nothing can be continued from the checkpoints of an earlier run once its ghost table, or its old one, is gone.
	checkpoints := checkpointTable{mgtr.applier.general, mgtr.table(c.GetCheckpointTableName())}
	stale, exists, err := checkpoints.isOne(ctx)
	switch {
	case err != nil:
		return err
	case stale:
		return mgtr.dropTable(ctx, checkpoints.name)
	case exists && c.Checkpoint:
		return fmt.Errorf("table %s already exists and is not a checkpoint table: drop or rename it, or choose other helper names with --force-table-names", checkpoints.name)
	}
	return nil
}

// vacate makes sure that no table stands under a name that is needed: a sentry is removed, any other only if it may be.
func (mgtr *Migrator) vacate(ctx context.Context, table sql.TableName, mayDrop bool, flag string) error {
	comment, exists, err := (tables{mgtr.applier.general}).comment(ctx, table)
	switch {
	case err != nil || !exists:
		return err
	case comment == sentryComment:
		return mgtr.applier.clearSentry(ctx, table)
	case mayDrop:
		return mgtr.dropTable(ctx, table)
	}
	cleanup := ""
	if table == mgtr.names.ghost {
		cleanup = "--cleanup removes it if that can be proven; or "
	}
	return fmt.Errorf("table %s already exists. If it is a leftover of an earlier run and not needed: %sdrop it, or say %s", table, cleanup, flag)
}

// removeChangelog drops the changelog of an earlier run, if there is one.
func (mgtr *Migrator) removeChangelog(ctx context.Context) error {
	changelog := mgtr.table(mgtr.context.GetChangelogTableName())
	comment, exists, err := (tables{mgtr.applier.general}).comment(ctx, changelog)
	switch {
	case err != nil || !exists:
		return err
	case comment != GhostChangelogTableComment:
		return fmt.Errorf("table %s already exists and is not a changelog of this tool: drop or rename it, or choose other helper names with --force-table-names", changelog)
	}
	return mgtr.dropTable(ctx, changelog)
}

func (mgtr *Migrator) dropTable(ctx context.Context, table sql.TableName) error {
	if table == mgtr.names.ghost && mgtr.streamer != nil {
		mgtr.streamer.ghost.end()
	}
	mgtr.log.Infof("Dropping table %s", table)
	if err := (tables{mgtr.applier.general}).drop(ctx, table); err != nil {
		return err
	}
	mgtr.log.Infof("Table dropped")
	return nil
}

// createGhost makes the ghost table and alters it.
func (mgtr *Migrator) createGhost(ctx context.Context) error {
	c, helper := mgtr.context, tables{mgtr.applier.general}
	mgtr.log.Infof("Creating ghost table %s", mgtr.names.ghost)
	err := mgtr.create(mgtr.names.ghost, func() error { return helper.createGhost(ctx, mgtr.names.original, mgtr.names.ghost) })
	if err != nil {
		return err
	}
	mgtr.log.Infof("Ghost table created")
	db, session, err := mgtr.applier.alterSession(ctx, c.DatabaseName)
	if err != nil {
		return err
	}
	defer db.Close()      // nothing depends on it any more
	defer session.Close() // nothing depends on it any more
	mgtr.log.Infof("Altering ghost table %s", mgtr.names.ghost)
	checks, err := mgtr.nameGhostChecks(ctx, session)
	if err != nil {
		return err
	}
	if err := mgtr.leaveOutForeignKeys(ctx); err != nil {
		return err
	}
	options := mgtr.optionsForGhost(checks)
	mgtr.log.Debugf("ALTER statement: %s", options)
	if err := mgtr.alterGhost(ctx, session, options); err != nil {
		return err
	}
	mgtr.log.Infof("Ghost table altered")
	lost, err := inspect.LostDirectories(ctx, mgtr.applier.general, mgtr.names.original, mgtr.names.ghost)
	if err != nil {
		return err
	}
	if len(lost) > 0 {
		_ = mgtr.log.Warningf("the files of %s are kept elsewhere (%s), which the new table does not take over: its files will be where the server puts those of any table, unless --alter says otherwise",
			mgtr.names.original, strings.Join(lost, ", "))
	}
	if mgtr.alter.IsAutoIncrementDefined() {
		return nil
	}
	next, err := helper.autoIncrement(ctx, session, mgtr.names.original)
	if err != nil || next == 0 {
		return err
	}
	mgtr.log.Infof("Altering ghost table AUTO_INCREMENT value to %d", next)
	if err := helper.setAutoIncrement(ctx, session, mgtr.names.ghost, next); err != nil {
		return err
	}
	mgtr.log.Infof("Ghost table AUTO_INCREMENT altered")
	return nil
}

func (mgtr *Migrator) touchPostponeFile() error {
	path := mgtr.context.PostponeCutOverFlagFile
	if path == "" || base.FileExists(path) {
		return nil
	}
	if err := base.TouchFile(path); err != nil {
		return fmt.Errorf("--postpone-cut-over-flag-file: %w", err)
	}
	mgtr.log.Infof("Created postpone-cut-over-flag-file: %s", path)
	return nil
}

// mayNotBeat tells whether heartbeats are held back: the operator's throttling and hibernation keep all writes back.
func (mgtr *Migrator) mayNotBeat() bool {
	return mgtr.context.IsThrottleCommandedByUser() || mgtr.throttler.Hibernating()
}

// compareTables finds out what original and ghost share, and prepares the statements for it.
func (mgtr *Migrator) compareTables(ctx context.Context) error {
	c := mgtr.context
	ghost, err := inspect.ReadTable(ctx, mgtr.applier.general, mgtr.applier.server.Dialect, mgtr.names.ghost)
	if err != nil {
		return err
	}
	if !c.SkipForeignKeyChecks {
		if err := inspect.RefuseAddedForeignKeys(ctx, mgtr.applier.general, mgtr.names.ghost); err != nil {
			return err
		}
	}
	if mgtr.shared, err = inspect.Compare(mgtr.original, ghost, mgtr.renames(), c.NullableUniqueKeyAllowed); err != nil {
		return err
	}
	for _, warning := range mgtr.shared.Warnings {
		_ = mgtr.log.Warningf("%s", warning)
	}
	if err := checkKeyConversion(mgtr.shared, mgtr.applier.sqlMode); err != nil {
		return err
	}
	if err := mgtr.chooseTimeZones(ctx, ghost); err != nil {
		return err
	}
	if err := mgtr.carryHistograms(ctx, ghost); err != nil {
		return err
	}
	if mgtr.shared.Key.HasNullable {
		if null, err := inspect.HasNullKey(ctx, mgtr.applier.general, mgtr.names.original, mgtr.shared.Key); err != nil {
			return err
		} else if null {
			return fmt.Errorf("the unique key %s holds NULL in some rows, which it does not tell apart: --allow-nullable-unique-key is for keys that could hold NULL and do not. Remove those rows, or give the table a key without NULL", mgtr.shared.Key.Name)
		}
	}
	var sources, targets []sql.Column
	for _, column := range mgtr.shared.Columns {
		if column.IsWritten() {
			sources, targets = append(sources, column.Source), append(targets, column.Target)
		}
	}
	c.UniqueKey = mgtr.shared.Key
	c.SharedColumns, c.MappedSharedColumns = sql.NewColumnList(sources), sql.NewColumnList(targets)
	mgtr.log.Infof("Chosen shared unique key is %s", c.UniqueKey.Name)
	mgtr.log.Infof("Shared columns are %s", c.SharedColumns)
	if c.PanicOnWarnings {
		mgtr.applier.counts = warningPolicy{ghost: mgtr.names.ghost.Name, key: c.UniqueKey.NameInGhostTable}.counting
	}
	mgtr.keys, err = sql.NewApplyStatements(mgtr.names.ghost, mgtr.shared.Columns, mgtr.shared.Key, mgtr.applier.timeZones, mgtr.shared.Filled...)
	if err != nil {
		return err
	}
	if mgtr.applier.server.Dialect.IsMariaDB() && !c.SkipStrictMode {
		mgtr.keys.WriteErrorValuesLeniently(mgtr.applier.rowMode())
	}
	return nil
}

// renames is what the ALTER renames and drops, as far as data is to follow.
func (mgtr *Migrator) renames() inspect.Renames {
	if mgtr.context.Revert {
		return newReverseRenames(mgtr.earlier.record.Columns)
	}
	if mgtr.context.SkipRenamedColumns {
		return withoutRenames{mgtr.alter}
	}
	return mgtr.alter
}

// withoutRenames takes renamed columns for dropped and added ones.
type withoutRenames struct{ *sql.AlterTableParser }

func (withoutRenames) RenamedColumn(string) (string, bool) { return "", false }

// listen occupies the addresses for commands, before anything is built that a failure would leave behind.
func (mgtr *Migrator) listen(ctx context.Context) error {
	c := mgtr.context
	interactive := server.New(server.Config{
		SocketFile:         c.ServeSocketFile,
		SocketMode:         c.ServeSocketMode,
		DropExistingSocket: c.DropServeSocket,
		TCPHost:            c.ServeTCPHost,
		TCPPort:            int(c.ServeTCPPort),
		Controls:           controls{mgtr},
		BeforeCommand:      func(_ context.Context, command string) error { return mgtr.hooks.OnInteractiveCommand(command) },
		Log:                mgtr.log,
	})
	if err := interactive.Listen(ctx); err != nil {
		return err
	}
	mgtr.server = interactive
	return nil
}

// serve tells the hooks that all is valid, and takes commands from now on.
func (mgtr *Migrator) serve(ctx context.Context) error {
	c := mgtr.context
	mgtr.lockWatch = newLockWatch(mgtr.applier, mgtr.names, lockWatchSettings{LockTimeout: c.CutOverLockTimeout(), ForceAfter: c.CutOverForceAfter()})
	mgtr.gate = &cutOverGate{
		context:   c,
		throttled: mgtr.throttler.Gate().Wait,
		drainTime: func() time.Duration { return mgtr.applyRate.timeFor(mgtr.backlog.Len()) },
		waiting:   mgtr.backlog.Age,
		postponed: mgtr.hooks.OnBeginPostponed,
		obstacles: []obstacle{mgtr.lockWatch.beforeLock},
	}
	if err := mgtr.hooks.OnValidated(); err != nil {
		return err
	}
	mgtr.background(mgtr.server.Serve)
	return nil
}
