package logic

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/github/gh-ost/go/logic/inspect"
	"github.com/github/gh-ost/go/mysql"
	"github.com/github/gh-ost/go/sql"
)

// startAnew is what to do where nothing can be continued.
const startAnew = "start the migration anew (--cleanup removes what is left of this one)"

// orphanLimit bounds the wait for the end of a session that an earlier run has left on the server.
const orphanLimit = 30 * time.Second

// resume goes on with an earlier run from its last checkpoint. If that run has come as far as to swap the tables, only what
// comes after the swap is left to do.
func (mgtr *Migrator) resume(ctx context.Context) error {
	err := mgtr.steps(ctx,
		step{"validate", mgtr.validate},
		step{"connect", mgtr.connect},
		step{"takeLock", mgtr.takeLock},
		step{"readCheckpoint", mgtr.readCheckpoint},
		step{"endOrphans", mgtr.endOrphans},
	)
	if err != nil {
		return err
	}
	_, ghostExists, err := (tables{mgtr.applier.general}).comment(ctx, mgtr.names.ghost)
	switch {
	case err != nil:
		return err
	case mgtr.earlier.IsCutover || !ghostExists && mgtr.earlier.record.Attempt != "":
		return mgtr.steps(ctx,
			step{"confirmSwap", mgtr.confirmSwap},
			step{"rehearse", mgtr.rehearse},
			step{"tidyUp", mgtr.tidyUp},
		)
	case !ghostExists:
		return fmt.Errorf("--resume: the ghost table %s is gone: %s", mgtr.names.ghost, startAnew)
	}
	return mgtr.steps(ctx, append([]step{
		{"chooseOldName", mgtr.chooseOldName},
		{"inspect", mgtr.inspect},
		{"compareTables", mgtr.compareTables},
		{"requireSameMigration", mgtr.requireSameMigration},
		{"prepareVerification", mgtr.prepareVerification},
		{"listen", mgtr.listen},
		{"streamOn", mgtr.streamOn},
		{"rehearse", mgtr.rehearse},
		{"adoptTables", mgtr.adoptTables},
		{"adoptTriggers", mgtr.adoptTriggers},
		{"serve", mgtr.serve},
	}, mgtr.copyAndSwap()...)...)
}

// readCheckpoint reads the last checkpoint and refuses it if it is none of the migration that the command line asks for.
func (mgtr *Migrator) readCheckpoint(ctx context.Context) (err error) {
	c := mgtr.context
	table := checkpointTable{mgtr.applier.general, mgtr.table(c.GetCheckpointTableName())}
	if mgtr.earlier, err = table.read(ctx, mgtr.inspector.Dialect); err != nil {
		if errors.Is(err, ErrNoCheckpointFound) {
			return fmt.Errorf("--resume: %w, so the earlier run was not started with --checkpoint, has ended, or has not come to copy anything: %s", err, startAnew)
		}
		return fmt.Errorf("--resume: %w", err)
	}
	record := &mgtr.earlier.record
	mgtr.log.Infof("Checkpoint %d of %s found: coords=%s range_max=%s iteration=%d", mgtr.earlier.Id, mgtr.earlier.Timestamp.Format(time.RFC3339),
		mgtr.earlier.LastTrxCoords.DisplayString(), mgtr.earlier.IterationRangeMax, mgtr.earlier.Iteration)
	if record.Alter != c.AlterStatementOptions {
		return fmt.Errorf("--resume: the checkpoint in %s is of another migration: its --alter is %q, and this one is %q", table.name, record.Alter, c.AlterStatementOptions)
	}
	if err := mgtr.requireReadable(); err != nil {
		return fmt.Errorf("--resume: %w", err)
	}
	// Counters go on; what is copied behind the low-water mark is counted again.
	c.AddRowsCopied(mgtr.earlier.RowsCopied)
	c.AddDMLEventsApplied(mgtr.earlier.DMLApplied)
	for range mgtr.earlier.Iteration {
		c.NextIteration()
	}
	return nil
}

// chooseOldName takes the name from the checkpoint that the original is to get, which may hold the time of the first run, unless
// another table has come to stand there: then it gets one with the time of this run.
func (mgtr *Migrator) chooseOldName(ctx context.Context) error {
	if !mgtr.context.TimestampOldTable {
		return nil
	}
	earlier := mgtr.table(mgtr.earlier.record.Old)
	comment, exists, err := (tables{mgtr.applier.general}).comment(ctx, earlier)
	if err != nil {
		return err
	}
	if exists && comment != sentryComment && mgtr.names.old != earlier {
		mgtr.log.Infof("A table %s has come to stand there: the original will get the name %s", earlier, mgtr.names.old)
		return nil
	}
	mgtr.names.old = earlier
	return nil
}

// requireReadable refuses a checkpoint whose place the inspected server cannot be asked for.
func (mgtr *Migrator) requireReadable() error {
	record := &mgtr.earlier.record
	switch here := serverIdentity(mgtr.inspector); {
	case record.GTID && !mgtr.context.UseGTIDs:
		return errors.New("the checkpoint was written with --gtid: its place in the binary log is a set of transactions. Say --gtid")
	case !record.GTID && mgtr.context.UseGTIDs:
		return errors.New("the checkpoint was written without --gtid: its place is one in a file of the binary log. Leave --gtid out")
	case !record.GTID && record.Stream != here:
		return fmt.Errorf("the checkpoint's place %s is one in the binary log of the server %s, and %s is the server %s: give the same --host again. Only checkpoints with --gtid can be continued on another server",
			mgtr.earlier.LastTrxCoords.DisplayString(), record.Stream, mgtr.inspector.Key().DisplayString(), here)
	}
	return nil
}

// endOrphans ends the sessions of an earlier run's last attempt that rename tables and create triggers, which the server may
// not have noticed to be alone, so that it is settled whether the tables are swapped and which triggers there are.
func (mgtr *Migrator) endOrphans(ctx context.Context) error {
	if mgtr.earlier.record.Attempt == "" || mgtr.context.Noop {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, orphanLimit)
	defer cancel()
	control, err := openControlSessions(ctx, mgtr.applier.config, mgtr.applier.server.Dialect)
	if err != nil {
		return err
	}
	defer control.close()
	for _, name := range []string{triggerLockName(mgtr.earlier.record.Attempt), renameLockName(mgtr.earlier.record.Attempt)} {
		if err := control.endSession(ctx, name); err != nil {
			return fmt.Errorf("ending what the earlier run has left on the server: %w", err)
		}
	}
	return nil
}

// requireSameMigration refuses tables that are not those which the checkpoint was written for.
func (mgtr *Migrator) requireSameMigration(ctx context.Context) error {
	checkpoints, err := mgtr.newCheckpointer(ctx)
	if err != nil {
		return err
	}
	earlier, now := &mgtr.earlier.record, &checkpoints.identity
	ghost, err := parseTableIdentity(earlier.Ghost)
	if err != nil {
		return err
	}
	ghostNow, err := parseTableIdentity(now.Ghost)
	if err != nil {
		return err
	}
	original, err := parseTableIdentity(earlier.Original)
	if err != nil {
		return err
	}
	originalNow, err := parseTableIdentity(now.Original)
	switch {
	case err != nil:
		return err
	case !ghostNow.isAsBefore(ghost):
		return fmt.Errorf("--resume: the ghost table %s is not the one that the checkpoint was written for, but one of another run: %s", mgtr.names.ghost, startAnew)
	case originalNow.Structure != original.Structure:
		return fmt.Errorf("--resume: the definition of the original table %s has changed since the checkpoint was written: %s", mgtr.names.original, startAnew)
	case !earlier.hasColumns(mgtr.shared.Pairs):
		return fmt.Errorf("--resume: the columns that are carried over are %v now, and were %v: give the flags for renamed columns as before", now.Columns, earlier.Columns)
	case earlier.Key != mgtr.shared.Key.Name:
		return fmt.Errorf("--resume: rows are told apart by the unique key %s now, and were by %s: give the flags as before, or %s", mgtr.shared.Key.Name, earlier.Key, startAnew)
	}
	if ghostNow.Server != ghost.Server {
		mgtr.log.Infof("The checkpoint was written on another server (%s): the tables are taken for the same by their definitions", ghost.Server)
	}
	mgtr.checkpoints = checkpoints // also without --checkpoint: a later run has to know what became of the swap
	return nil
}

// isAsBefore tells whether this can be the table that earlier was read from. On another server, which was a replica, InnoDB's
// ids are others.
func (i tableIdentity) isAsBefore(earlier tableIdentity) bool {
	return i.equals(earlier) || i.Server != earlier.Server && i.Structure == earlier.Structure
}

// streamOn reads the binary log from the checkpoint on. The original is followed from the first event.
func (mgtr *Migrator) streamOn(ctx context.Context) error {
	mgtr.streamer = mgtr.newStreamer()
	mgtr.streamer.beginBehind(mgtr.earlier)
	mgtr.streamer.Follow(mgtr.original.Columns.Len())
	mgtr.streamer.ghost.begin(mgtr.names.ghost)
	mgtr.streamer.requireCheckpoint(mgtr.checkpoints.table.name, mgtr.earlier)
	return mgtr.streamFromCheckpoint(ctx)
}

func (mgtr *Migrator) streamFromCheckpoint(ctx context.Context) error {
	err := mgtr.runStreamer(ctx, mgtr.earlier.LastTrxCoords)
	if err != nil && mgtr.work.Err() != nil { // the stream's own error is the cause
		return fmt.Errorf("reading the binary log from the checkpoint's place on: %w", err)
	}
	return err
}

// adoptTables takes the helper tables of the earlier run as they are.
func (mgtr *Migrator) adoptTables(ctx context.Context) error {
	c := mgtr.context
	changelog := mgtr.table(c.GetChangelogTableName())
	comment, exists, err := (tables{mgtr.applier.general}).comment(ctx, changelog)
	switch {
	case err != nil:
		return err
	case !exists || comment != GhostChangelogTableComment:
		return fmt.Errorf("--resume: the earlier run's changelog table %s is gone: %s", changelog, startAnew)
	}
	if err := mgtr.applier.checkMetadataLocks(ctx); err != nil {
		return err
	}
	if err := mgtr.vacate(ctx, mgtr.names.old, false, "another name for it with --timestamp-old-table"); err != nil {
		return fmt.Errorf("--resume: %w", err)
	}
	mgtr.changelog = NewChangelog(mgtr.applier.general, changelog)
	mgtr.created = append(mgtr.created, changelog, mgtr.names.ghost)
	mgtr.created = append(mgtr.created, mgtr.checkpoints.table.name)
	if err := mgtr.changelog.WriteState(ctx, mgtr.streamer.proof.token); err != nil {
		return err
	}
	if err := mgtr.touchPostponeFile(); err != nil {
		return err
	}
	mgtr.throttler, mgtr.meter = newThrottler(mgtr)
	mgtr.beginHeartbeats()
	return nil
}

// rehearse ends a run without --execute, which must not touch what an earlier run has left.
func (mgtr *Migrator) rehearse(context.Context) error {
	if !mgtr.context.Noop {
		return nil
	}
	mgtr.stopWork()
	for _, hook := range []func() error{mgtr.hooks.OnValidated, mgtr.hooks.OnBeforeCutOver} {
		if err := hook(); err != nil {
			return err
		}
	}
	mgtr.log.Infof("All is there to go on from the checkpoint. Nothing was changed, since --execute was not given")
	if err := mgtr.hooks.OnSuccess(false); err != nil {
		return err
	}
	return errMigrationComplete
}

// confirmSwap finds out from the binary log that the earlier run's last attempt has swapped the tables, and checks as that
// run would have that no write slipped through.
func (mgtr *Migrator) confirmSwap(ctx context.Context) error {
	earlier := mgtr.earlier
	mgtr.names.old.Name = earlier.record.Old
	if err := mgtr.requireSwappedIn(ctx); err != nil {
		return err
	}
	if earlier.record.Slipped > 0 {
		return fmt.Errorf("--resume: the tables are swapped already, but %d write(s) went to the old table %s only, as the earlier run has told: compare the tables and carry them over, or go back with --revert", earlier.record.Slipped, mgtr.names.old)
	}
	if earlier.IsCutover {
		mgtr.context.MarkCutOverComplete()
		mgtr.log.Infof("The earlier run has swapped the tables already")
		return mgtr.requireOurLeftovers(ctx)
	}
	if err := mgtr.compareSwapped(ctx); err != nil {
		return err
	}
	if err := mgtr.auditEarlierSwap(ctx); err != nil {
		return err
	}
	return mgtr.requireOurLeftovers(ctx)
}

// requireSwappedIn refuses to call a migration finished whose tables have been swapped back since: the table that the earlier
// run has swapped in must stand under the original's name.
func (mgtr *Migrator) requireSwappedIn(ctx context.Context) error {
	swappedIn, err := parseTableIdentity(mgtr.earlier.record.Ghost)
	if err != nil {
		return fmt.Errorf("--resume: %w", err)
	}
	old, err := parseTableIdentity(mgtr.earlier.record.Original)
	if err != nil {
		return fmt.Errorf("--resume: %w", err)
	}
	now, err := readTableIdentity(ctx, mgtr.applier.general, mgtr.applier.server, mgtr.names.original)
	switch {
	case mysql.IsNoSuchTable(err):
		return fmt.Errorf("--resume: there is no table %s, although the earlier run has come to swap the tables: somebody has renamed or dropped it since. Nothing was changed. Put it back under its name, or, if it is not needed, remove what is left of the migration with --cleanup", mgtr.names.original)
	case err != nil:
		return err
	case now.sharesIDs(swappedIn):
		return nil
	case now.sharesIDs(old):
		return mgtr.swappedBack()
	case !mgtr.earlier.IsCutover: // the record is of before the swap, which may change names of checks; the binary log tells
		return nil
	case now.isAsBefore(swappedIn):
		return nil
	case now.isAsBefore(old):
		return mgtr.swappedBack()
	}
	return fmt.Errorf("--resume: the earlier run has swapped the tables, but %s is not the table that it has swapped in: somebody has put another one there, or has rebuilt, altered or truncated it since. Nothing was changed. Look at its structure: if it is as the migration has made it, nothing is left to do but to remove the helper tables with --cleanup; else %s",
		mgtr.names.original, startAnew)
}

func (mgtr *Migrator) swappedBack() error {
	return fmt.Errorf("--resume: the earlier run has swapped the tables, but the table from before it stands under the name %s again, with the old structure: a --revert that could not note its swap, or somebody by hand, has swapped them back. The table that was migrated stands under another name (after a --revert one like _…_rev_del). Nothing was changed. To migrate %s again, %s; if it is to stay as it is, --cleanup is all that is left to do",
		mgtr.names.original, mgtr.names.original, startAnew)
}

// requireOurLeftovers refuses to drop a table that has come under an old name since the earlier run ended.
func (mgtr *Migrator) requireOurLeftovers(ctx context.Context) error {
	changelog := mgtr.table(mgtr.context.GetChangelogTableName())
	comment, exists, err := (tables{mgtr.applier.general}).comment(ctx, changelog)
	switch {
	case err != nil:
		return err
	case exists && comment != GhostChangelogTableComment:
		return fmt.Errorf("--resume: the tables are swapped already, and %s is not a changelog of this tool: drop or rename it, or leave all as it is", changelog)
	case !mgtr.context.OkToDropTable:
		return nil
	}
	earlier, err := parseTableIdentity(mgtr.earlier.record.Original)
	if err != nil {
		return err
	}
	now, err := readTableIdentity(ctx, mgtr.applier.general, mgtr.applier.server, mgtr.names.old)
	switch {
	case mysql.IsNoSuchTable(err):
		return nil // somebody has dropped it
	case err != nil:
		return err
	case mgtr.earlier.IsCutover && now.isAsBefore(earlier) || now.sharesIDs(earlier):
		return nil
	}
	return fmt.Errorf("--resume: the tables are swapped already, and %s cannot be proven to be the old table, so it is not dropped: leave out --ok-to-drop-table, and drop it by hand if it is not needed", mgtr.names.old)
}

// compareSwapped reads the tables in their new places.
func (mgtr *Migrator) compareSwapped(ctx context.Context) (err error) {
	if mgtr.original, err = inspect.ReadTable(ctx, mgtr.applier.general, mgtr.applier.server.Dialect, mgtr.names.old); err != nil {
		return fmt.Errorf("--resume: the ghost table %s is gone, and where the original would stand if the tables were swapped: %w. If nobody has dropped or renamed them, %s", mgtr.names.ghost, err, startAnew)
	}
	current, err := inspect.ReadTable(ctx, mgtr.applier.general, mgtr.applier.server.Dialect, mgtr.names.original)
	if err != nil {
		return err
	}
	if mgtr.shared, err = inspect.Compare(mgtr.original, current, mgtr.renames(), mgtr.context.NullableUniqueKeyAllowed); err != nil {
		return err
	}
	mgtr.applier.timeZones = sql.TimeZones{Server: mgtr.applier.timeZone} // keys are compared, and nothing is written
	mgtr.keys, err = sql.NewApplyStatements(mgtr.names.original, mgtr.shared.Columns, mgtr.shared.Key, mgtr.applier.timeZones, mgtr.shared.Filled...)
	return err
}

// auditEarlierSwap reads the binary log from the checkpoint to the RENAME of the earlier run's last attempt.
func (mgtr *Migrator) auditEarlierSwap(ctx context.Context) error {
	token := mgtr.earlier.record.Attempt
	end, err := mgtr.currentCoordinates(ctx)
	if err != nil {
		return err
	}
	mgtr.streamer = mgtr.newStreamer()
	mgtr.streamer.Follow(mgtr.original.Columns.Len())
	audit := mgtr.streamer.beginAudit(token, mgtr.keys)
	defer mgtr.streamer.endAudit()
	mgtr.background(func(ctx context.Context) error { mgtr.backlog.Discard(ctx); return nil })
	if err := mgtr.streamFromCheckpoint(ctx); err != nil {
		return err
	}
	for !audit.isFinished() {
		if end.SmallerThanOrEquals(mgtr.streamer.stream.HandledTransaction()) && !audit.isFinished() {
			return fmt.Errorf("--resume: the ghost table %s is gone, and the binary log has no RENAME of the earlier run that swapped it in: %s", mgtr.names.ghost, startAnew)
		}
		if err := pause(ctx, lookInterval); err != nil {
			return err
		}
	}
	mgtr.context.MarkCutOverComplete()
	mgtr.log.Infof("The earlier run has swapped the tables already")
	if !mgtr.context.Noop {
		if mgtr.checkpoints, err = mgtr.earlierCheckpointer(); err != nil {
			return err
		}
	}
	err = mgtr.finishAudit(ctx, audit)
	mgtr.noteCutOver(ctx, audit, err)
	return err
}

// earlierCheckpointer writes into the table of the earlier run what belongs to that run.
func (mgtr *Migrator) earlierCheckpointer() (*checkpointer, error) {
	db, err := mgtr.checkpointSessions()
	if err != nil {
		return nil, err
	}
	return &checkpointer{
		table:         checkpointTable{db, mgtr.table(mgtr.context.GetCheckpointTableName())},
		key:           mgtr.shared.Key.Columns.Columns(),
		identity:      mgtr.earlier.record,
		eventsApplied: mgtr.context.GetTotalDMLEventsApplied,
		lowWater:      mgtr.lowWater,
	}, nil
}
