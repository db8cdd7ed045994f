package logic

import (
	"context"
	gosql "database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/github/gh-ost/go/logic/rowcopy"
	"github.com/github/gh-ost/go/mysql"
)

// checkpointLimit bounds the writing of one checkpoint.
const checkpointLimit = 10 * time.Second

// errNotCheckpointed is told to who asks for a checkpoint of a run that keeps none.
var errNotCheckpointed = errors.New("this run keeps no checkpoints: it was started without --checkpoint, or has not come to follow the table yet")

// errNotProven keeps the checkpoint that a run goes on from until it is known to be about the binary log that is read.
var errNotProven = errors.New("the checkpoint that this run goes on from has not come by in the binary log yet; it stands")

// errUnsure keeps a run from claiming rows that a server may have lost with its last commits.
var errUnsure = errors.New("the last heartbeat could not be written, so it is not known whether the server still has what it has committed")

// prepareCheckpoints makes the checkpoint table, if checkpoints are wanted.
func (mgtr *Migrator) prepareCheckpoints(ctx context.Context) error {
	if !mgtr.context.Checkpoint {
		return nil
	}
	checkpoints, err := mgtr.newCheckpointer(ctx)
	if err != nil {
		return err
	}
	table := checkpoints.table.name
	mgtr.log.Infof("Creating checkpoint table %s", table)
	if err := mgtr.create(table, func() error { return checkpoints.table.create(ctx, checkpoints.key) }); err != nil {
		return err
	}
	mgtr.log.Infof("Checkpoint table created")
	mgtr.checkpoints = checkpoints
	return nil
}

// newCheckpointer returns one for the tables as they are compared.
func (mgtr *Migrator) newCheckpointer(ctx context.Context) (*checkpointer, error) {
	db, err := mgtr.checkpointSessions()
	if err != nil {
		return nil, err
	}
	identity, err := mgtr.checkpointIdentity(ctx)
	if err != nil {
		return nil, err
	}
	return &checkpointer{
		table:         checkpointTable{db, mgtr.table(mgtr.context.GetCheckpointTableName())},
		key:           mgtr.shared.Key.Columns.Columns(),
		identity:      identity,
		eventsApplied: mgtr.context.GetTotalDMLEventsApplied,
		lowWater:      mgtr.lowWater,
	}, nil
}

// checkpointSessions opens a pool whose sessions take bounds as range reads have returned them.
func (mgtr *Migrator) checkpointSessions() (*gosql.DB, error) {
	db, err := mgtr.applier.rowSessions(mgtr.applier.config.Duplicate(), mgtr.context.DatabaseName, 1, mysql.StatementWatch{})
	if err != nil {
		return nil, err
	}
	mgtr.closers = append(mgtr.closers, db)
	return db, nil
}

func (mgtr *Migrator) checkpointIdentity(ctx context.Context) (record checkpointRecord, err error) {
	c, general, server := mgtr.context, mgtr.applier.general, mgtr.applier.server
	original, err := readTableIdentity(ctx, general, server, mgtr.names.original)
	if err != nil {
		return record, err
	}
	ghost, err := readTableIdentity(ctx, general, server, mgtr.names.ghost)
	if err != nil {
		return record, err
	}
	return checkpointRecord{
		Format:   checkpointFormat,
		Version:  mgtr.version,
		Alter:    c.AlterStatementOptions,
		Stream:   serverIdentity(mgtr.inspector),
		GTID:     c.UseGTIDs,
		Original: original.String(),
		Ghost:    ghost.String(),
		Old:      mgtr.names.old.Name,
		Columns:  columnsOf(mgtr.shared.Pairs),
		Key:      mgtr.shared.Key.Name,
	}, nil
}

// applied is up to where this run has applied the binary log; nil if it has not begun to.
func (mgtr *Migrator) applied() *appliedPlace {
	if mgtr.streamer == nil {
		return nil
	}
	return mgtr.streamer.appliedPlace()
}

// lowWater is how far the copy has come, in this run or in the one that it goes on from.
func (mgtr *Migrator) lowWater() rowcopy.LowWater {
	if copier := mgtr.copier.Load(); copier != nil {
		return copier.LowWater()
	}
	return mgtr.copyStart()
}

// copyStart is how far the run has come that this one goes on from.
func (mgtr *Migrator) copyStart() rowcopy.LowWater {
	if mgtr.earlier == nil {
		return rowcopy.LowWater{}
	}
	return mgtr.earlier.record.start()
}

// beginCheckpoints writes the first checkpoint, so that there is one from the first row on, and others at each interval.
func (mgtr *Migrator) beginCheckpoints(ctx context.Context) error {
	if mgtr.checkpoints == nil || mgtr.context.Noop {
		return nil
	}
	if mgtr.earlier == nil {
		if _, err := mgtr.Checkpoint(ctx); err != nil {
			return err
		}
	}
	if !mgtr.context.Checkpoint {
		return nil
	}
	mgtr.background(func(ctx context.Context) error {
		interval := time.Duration(mgtr.context.CheckpointIntervalSeconds) * time.Second
		for pause(ctx, interval) == nil {
			if mgtr.context.IsInCutOverCriticalSection() || mgtr.context.IsCutOverComplete() {
				continue
			}
			if _, err := mgtr.Checkpoint(ctx); err != nil && ctx.Err() == nil && !errors.Is(err, errNotProven) {
				_ = mgtr.log.Errorf("error attempting checkpoint: %v", err) // the migration does not depend on it
			}
		}
		return nil
	})
	return nil
}

// Checkpoint writes a checkpoint now. It claims nothing that is not done at this moment, throttled or not. The error says so
// if this run keeps no checkpoints.
func (mgtr *Migrator) Checkpoint(ctx context.Context) (*Checkpoint, error) {
	if mgtr.checkpoints == nil {
		return nil, errNotCheckpointed
	}
	if mgtr.context.IsCutOverComplete() {
		return nil, errors.New("the tables are swapped: there is nothing left to go on with")
	}
	if mgtr.streamer != nil && !mgtr.streamer.isProven() {
		return nil, errNotProven
	}
	if mgtr.heartbeat != nil && mgtr.heartbeat.unsure.Load() {
		return nil, errUnsure
	}
	mgtr.log.Infof("starting checkpoint at %s", time.Now().Format(time.RFC3339))
	checkpoint, err := mgtr.writeCheckpoint(ctx, func(c *Checkpoint) {
		if token := mgtr.undecided.Load(); token != nil { // a later run has to find out what became of it
			c.record.Attempt = *token
		}
	})
	if err != nil {
		return nil, err
	}
	mgtr.log.Infof("checkpoint success at coords=%s range_min=%s range_max=%s iteration=%d",
		checkpoint.LastTrxCoords.DisplayString(), checkpoint.IterationRangeMin, checkpoint.IterationRangeMax, checkpoint.Iteration)
	return checkpoint, nil
}

func (mgtr *Migrator) writeCheckpoint(ctx context.Context, change func(*Checkpoint)) (*Checkpoint, error) {
	ctx, cancel := context.WithTimeout(ctx, checkpointLimit)
	defer cancel()
	at := mgtr.applied()
	if at == nil {
		return nil, errNothingApplied
	}
	return mgtr.checkpoints.write(ctx, at.BinlogCoordinates, func(c *Checkpoint) {
		c.record.Mark = at.mark
		change(c)
	})
}

// lastCheckpoint writes one when the run ends without a swap, however it ends.
func (mgtr *Migrator) lastCheckpoint(ctx context.Context) {
	if mgtr.checkpoints == nil || mgtr.applied() == nil || mgtr.context.Revert || mgtr.context.Noop {
		return
	}
	if mgtr.logIsLost.Load() {
		return // nothing can go on from here
	}
	if _, err := mgtr.Checkpoint(ctx); err != nil && !errors.Is(err, errNotProven) {
		_ = mgtr.log.Errorf("error attempting checkpoint: %v; the one before it stands", err)
	}
	mgtr.log.Infof("To go on from here, give the same command line again with --resume")
}

// noteAttempt stores which cut-over attempt begins, so that a later run can find out from the binary log whether it has
// swapped the tables, should this process not live to tell.
func (mgtr *Migrator) noteAttempt(ctx context.Context, token string) error {
	if mgtr.checkpoints == nil || mgtr.context.Revert || mgtr.context.TestOnReplica {
		return nil
	}
	_, err := mgtr.writeCheckpoint(ctx, func(c *Checkpoint) { c.record.Attempt = token })
	return err
}

// noteCutOver stores that the tables are swapped. audited is what the audit came to.
func (mgtr *Migrator) noteCutOver(ctx context.Context, audit *audit, audited error) {
	var slipped *SlippedWritesError
	if mgtr.checkpoints == nil || mgtr.context.TestOnReplica || audited != nil && !errors.As(audited, &slipped) {
		return
	}
	mgtr.swapped.token, mgtr.swapped.at = audit.mark, audit.swappedBehind()
	if slipped != nil {
		mgtr.swapped.slipped = slipped.Count
	}
	if _, err := mgtr.checkpointAfterCutOver(ctx); err != nil {
		_ = mgtr.log.Warningf("failed to checkpoint after cutover: %v; this migration cannot be undone with --revert", err)
	}
}

// cutOverPlace is what is known of a swap.
type cutOverPlace struct {
	token   string
	at      mysql.BinlogCoordinates // before the RENAME in the binary log
	slipped int                     // writes that stand in the old table only
}

// CheckpointAfterCutOver writes the checkpoint that a revert begins from. It is an error unless the tables are swapped and
// this run keeps checkpoints.
func (mgtr *Migrator) CheckpointAfterCutOver() (*Checkpoint, error) {
	return mgtr.checkpointAfterCutOver(context.WithoutCancel(mgtr.context.GetContext()))
}

func (mgtr *Migrator) checkpointAfterCutOver(ctx context.Context) (*Checkpoint, error) {
	place := mgtr.swapped
	switch {
	case mgtr.checkpoints == nil:
		return nil, errNotCheckpointed
	case place.at == nil:
		return nil, errors.New("the tables are not swapped")
	}
	ctx, cancel := context.WithTimeout(ctx, checkpointLimit)
	defer cancel()
	// The server gives checks new names with their table's.
	current, err := readTableIdentity(ctx, mgtr.applier.general, mgtr.applier.server, mgtr.names.original)
	if err != nil {
		return nil, err
	}
	old, err := readTableIdentity(ctx, mgtr.applier.general, mgtr.applier.server, mgtr.names.old)
	if err != nil {
		return nil, err
	}
	checkpoint, err := mgtr.checkpoints.write(ctx, place.at, func(c *Checkpoint) {
		c.IsCutover = true
		c.record.Attempt, c.record.Slipped = place.token, place.slipped
		c.record.Ghost, c.record.Original = current.String(), old.String()
	})
	if err != nil {
		return nil, fmt.Errorf("after the cut-over: %w", err)
	}
	mgtr.log.Infof("checkpoint success after cutover at coords=%s", checkpoint.LastTrxCoords.DisplayString())
	return checkpoint, nil
}
