package logic

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/github/gh-ost/go/logic/apply"
	"github.com/github/gh-ost/go/logic/inspect"
	"github.com/github/gh-ost/go/sql"
)

// revert undoes an earlier migration. The old table that it left stands as it was at the swap; the binary log has all that
// was written since. That is applied to the old table, and then the two are swapped like original and ghost.
//
// What the stream tells of the original's name before the swap is about the old table, which has it already: the original is
// followed from the swap's RENAME on, which bears the token of its attempt. Whatever else somebody has done to the table since
// then, such as another ALTER, stands in the binary log as well and ends the revert.
func (mgtr *Migrator) revert(ctx context.Context) error {
	return mgtr.steps(ctx,
		step{"validate", mgtr.validate},
		step{"connect", mgtr.connect},
		step{"takeLock", mgtr.takeLock},
		step{"readCutOver", mgtr.readCutOver},
		step{"requireOldTable", mgtr.requireOldTable},
		step{"inspect", mgtr.inspect},
		step{"requireNoTriggers", mgtr.requireNoTriggers},
		step{"compareTables", mgtr.compareTables},
		step{"requireSwappedTables", mgtr.requireSwappedTables},
		step{"prepareVerification", mgtr.prepareVerification},
		step{"listen", mgtr.listen},
		step{"streamSinceSwap", mgtr.streamSinceSwap},
		step{"rehearse", mgtr.rehearse},
		step{"prepareRevert", mgtr.prepareRevert},
		step{"serve", mgtr.serve},
		step{"follow", mgtr.follow},
		step{"startThrottling", mgtr.startThrottling},
		step{"applySinceSwap", mgtr.applySinceSwap},
		step{"verify", mgtr.verify},
		step{"swap", mgtr.swap},
		step{"cleanUp", mgtr.cleanUp},
	)
}

// readCutOver reads the checkpoint that the earlier migration has written after its swap.
func (mgtr *Migrator) readCutOver(ctx context.Context) (err error) {
	table := checkpointTable{mgtr.applier.general, mgtr.table(mgtr.context.GetCheckpointTableName())}
	if mgtr.earlier, err = table.read(ctx, mgtr.inspector.Dialect); err != nil {
		if errors.Is(err, ErrNoCheckpointFound) {
			return fmt.Errorf("--revert: %w: only a migration that was run with --checkpoint can be undone, and only while its checkpoint table stands", err)
		}
		return fmt.Errorf("--revert: %w", err)
	}
	record := &mgtr.earlier.record
	switch {
	case !mgtr.earlier.IsCutover:
		return fmt.Errorf("--revert: the last checkpoint in %s is not one after a cut-over: that migration has not swapped the tables, or could not note it. If it was interrupted, go on with --resume", table.name)
	case !mgtr.inspectorNames.Same(record.Old, mgtr.names.ghost.Name):
		return fmt.Errorf("--revert: --old-table=%s is not the table that the earlier migration left: that is %s", mgtr.names.ghost.Name, record.Old)
	}
	if err := mgtr.requireReadable(); err != nil {
		return fmt.Errorf("--revert: %w", err)
	}
	mgtr.log.Infof("Checkpoint %d of %s found: the tables were swapped at coords=%s", mgtr.earlier.Id, mgtr.earlier.Timestamp.Format(time.RFC3339), mgtr.earlier.LastTrxCoords.DisplayString())
	if record.Slipped > 0 {
		_ = mgtr.log.Warningf("%d write(s) had gone to %s only when the tables were swapped; they come back with it", record.Slipped, mgtr.names.ghost)
	}
	return nil
}

// requireOldTable refuses to begin where there is nothing to go back to.
func (mgtr *Migrator) requireOldTable(ctx context.Context) error {
	helper := tables{mgtr.applier.general}
	_, exists, err := helper.comment(ctx, mgtr.names.ghost)
	if err != nil || exists {
		return err
	}
	_, reverted, err := helper.comment(ctx, mgtr.names.old)
	switch {
	case err != nil:
		return err
	case reverted:
		return fmt.Errorf("--revert: the old table %s is gone, and %s is there: an earlier revert seems to have swapped the tables back already. Look at %s; --cleanup removes what that run has left", mgtr.names.ghost, mgtr.names.old, mgtr.names.original)
	}
	return fmt.Errorf("--revert: the old table %s is gone: there is nothing to go back to", mgtr.names.ghost)
}

// requireNoTriggers refuses tables with triggers: those of the old table would fire for what is applied to it, and those of the
// other one would be lost.
func (mgtr *Migrator) requireNoTriggers(ctx context.Context) error {
	for _, look := range []struct {
		table  sql.TableName
		reason string
	}{
		{mgtr.names.ghost, "they would fire once more for every write that is carried back"},
		{mgtr.names.original, "the old table would not have them, and --include-triggers does not take them back"},
	} {
		triggers, err := inspect.ReadTriggers(ctx, mgtr.applier.general, look.table)
		if err != nil {
			return err
		}
		var names []string
		for _, trigger := range triggers {
			names = append(names, sql.EscapeName(trigger.Name))
		}
		if len(names) > 0 {
			return fmt.Errorf("--revert: table %s has triggers (%s): %s. Drop them, and keep their SHOW CREATE TRIGGER to create them again after the revert",
				look.table, strings.Join(names, ", "), look.reason)
		}
	}
	return nil
}

// requireSwappedTables refuses tables that are not those which the earlier migration has swapped.
func (mgtr *Migrator) requireSwappedTables(ctx context.Context) error {
	checkpoints, err := mgtr.newCheckpointer(ctx)
	if err != nil {
		return err
	}
	earlier, now := &mgtr.earlier.record, &checkpoints.identity
	old, err := parseTableIdentity(earlier.Original)
	if err != nil {
		return err
	}
	oldNow, err := parseTableIdentity(now.Ghost)
	if err != nil {
		return err
	}
	current, err := parseTableIdentity(earlier.Ghost)
	if err != nil {
		return err
	}
	currentNow, err := parseTableIdentity(now.Original)
	switch {
	case err != nil:
		return err
	case !oldNow.isAsBefore(old):
		return fmt.Errorf("--revert: table %s is not the one that the earlier migration left, or was altered since", mgtr.names.ghost)
	case currentNow.Structure != current.Structure:
		return fmt.Errorf("--revert: the definition of %s has changed since the earlier migration swapped it in", mgtr.names.original)
	}
	mgtr.checkpoints = checkpoints
	mgtr.context.SetRowsEstimate(0) // no row is copied
	mgtr.copied.Store(true)
	return nil
}

// streamSinceSwap reads the binary log from the swap on.
func (mgtr *Migrator) streamSinceSwap(ctx context.Context) error {
	mgtr.streamer = mgtr.newStreamer()
	mgtr.streamer.beginBehind(mgtr.earlier)
	mgtr.streamer.FollowBehind(mgtr.earlier.record.Attempt, mgtr.original.Columns.Len())
	mgtr.streamer.watchOldTable(mgtr.names.ghost)
	return mgtr.streamFromCheckpoint(ctx)
}

// prepareRevert makes the changelog, the only helper table of a revert.
func (mgtr *Migrator) prepareRevert(ctx context.Context) error {
	c := mgtr.context
	if err := mgtr.applier.checkMetadataLocks(ctx); err != nil {
		return err
	}
	if err := mgtr.vacate(ctx, mgtr.names.old, c.InitiallyDropOldTable, "--initially-drop-old-table"); err != nil {
		return err
	}
	if err := mgtr.removeChangelog(ctx); err != nil {
		return err
	}
	if err := mgtr.createChangelog(ctx); err != nil {
		return err
	}
	// First of all: it tells what this revert will write to the old table from what others have written before.
	if err := mgtr.changelog.WriteState(ctx, newToken(Reverting, time.Now())); err != nil {
		return err
	}
	if err := mgtr.touchPostponeFile(); err != nil {
		return err
	}
	mgtr.throttler, mgtr.meter = newThrottler(mgtr)
	mgtr.beginHeartbeats()
	return nil
}

// preservingStatements are for the writer of a revert whose old table has columns that the migration has dropped: their values
// must not be lost with the first change of a row. Nil if there are none.
func (mgtr *Migrator) preservingStatements(ctx context.Context) (apply.PreservingStatements, error) {
	own := mgtr.shared.GhostsOwn
	if !mgtr.context.Revert || len(own) == 0 {
		return nil, nil
	}
	mgtr.log.Infof("Columns that the migration had dropped keep their values: %s", strings.Join(own, ", "))
	rows, err := mgtr.applier.general.QueryContext(ctx, "SELECT /* gh-ost */ column_name FROM information_schema.columns"+
		" WHERE table_schema = ? AND table_name = ? AND extra LIKE '%on update%'", mgtr.names.ghost.Schema, mgtr.names.ghost.Name)
	if err != nil {
		return nil, fmt.Errorf("looking which columns of %s the server updates: %w", mgtr.names.ghost, err)
	}
	defer rows.Close() // rows.Err is what counts
	var kept []string
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			return nil, fmt.Errorf("looking which columns of %s the server updates: %w", mgtr.names.ghost, err)
		}
		if slices.Contains(own, name) {
			kept = append(kept, name)
		}
	}
	return mgtr.keys.Keeping(kept), rows.Err()
}

// patientStatements are for the writer of a revert: its stream has rows too that were put right long ago. Nil for a migration,
// which begins with what stands in the original.
func (mgtr *Migrator) patientStatements() apply.CarefulStatements {
	if !mgtr.context.Revert {
		return nil
	}
	return mgtr.keys
}

// watchConflicts has the cut-over wait for rows that the old table does not take, if it may refuse some.
func (mgtr *Migrator) watchConflicts() {
	mgtr.stricter = &stricterKeys{
		owed:     mgtr.owed,
		patience: mgtr.patience,
		reverts:  true,
		catchUp:  func(ctx context.Context) error { return mgtr.catchUp(ctx, StricterKeysSettled) },
	}
	mgtr.gate.obstacles = append(mgtr.gate.obstacles, mgtr.stricter.obstacle)
}

// applySinceSwap waits until the old table has been brought up to date.
func (mgtr *Migrator) applySinceSwap(ctx context.Context) error {
	mgtr.context.MarkRowCopyStartTime()
	mgtr.watchConflicts()
	if err := mgtr.catchUp(ctx, ReadMigrationRangeValues); err != nil {
		return err
	}
	if !mgtr.streamer.IsFollowing() {
		return fmt.Errorf("--revert: the binary log from %s on does not have the RENAME that swapped the tables: what was written since cannot be told from what was written before", mgtr.earlier.LastTrxCoords.DisplayString())
	}
	mgtr.context.MarkRowCopyEndTime()
	return mgtr.printStatus(ctx, printLine, discard{})
}

// reverseRenames maps the columns of the table that a migration has made to those of the table before it, as that migration
// has mapped them. Columns that it added have no counterpart, also if the old table has a column of that name: that was
// another one, and was dropped.
type reverseRenames map[string]string // by the new name in lower case

func newReverseRenames(columns []column) reverseRenames {
	renames := reverseRenames{}
	for _, column := range columns {
		renames[strings.ToLower(column.Target)] = column.Source
	}
	return renames
}

// RenamedColumn implements inspect.Renames.
func (r reverseRenames) RenamedColumn(column string) (newName string, renamed bool) {
	old, known := r[strings.ToLower(column)]
	return old, known && !strings.EqualFold(old, column)
}

// IsDroppedColumn implements inspect.Renames.
func (r reverseRenames) IsDroppedColumn(column string) bool {
	_, known := r[strings.ToLower(column)]
	return !known
}
