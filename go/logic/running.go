package logic

import (
	"context"
	gosql "database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/github/gh-ost/go/logic/apply"
	"github.com/github/gh-ost/go/logic/rowcopy"
	"github.com/github/gh-ost/go/mysql"
	"github.com/github/gh-ost/go/sql"
)

const (
	// lingerTime is how long an event waits for others at most: a fraction of any lag that anybody sets as a limit.
	lingerTime = 20 * time.Millisecond

	// yieldInterval is the pause between two looks of the copy at a backlog that is to be applied first.
	yieldInterval = 5 * time.Millisecond
)

// follow begins to take in the original's events, and to apply them. Only what is committed after that may be missing
// from the events; the marker that comes back afterwards makes sure that no commit can hide between stream and range.
func (mgtr *Migrator) follow(ctx context.Context) error {
	c := mgtr.context
	preserving, err := mgtr.preservingStatements(ctx)
	if err != nil {
		return err
	}
	db, err := mgtr.applier.applySessions(c.DatabaseName, int(c.ApplyConcurrency))
	if preserving != nil {
		db, err = mgtr.applier.preservingSessions(c.DatabaseName)
	}
	if err != nil {
		return err
	}
	var progress apply.Progress
	var begun apply.Earlier
	if preserving != nil {
		if progress, begun, err = mgtr.revertProgress(ctx); err != nil {
			return errors.Join(err, db.Close())
		}
	}
	statementBytes, err := mgtr.applier.statementBytes(ctx)
	if err != nil {
		return err
	}
	writer := apply.NewWriter(apply.Settings{
		Pause:       pauseBeforeRetry,
		DB:          db,
		Statements:  mgtr.bend(mgtr.keys),
		Careful:     mgtr.carefulStatements(),
		Preserving:  preserving,
		Lenient:     mgtr.keys,
		Patient:     mgtr.patientStatements(),
		Progress:    progress,
		Earlier:     begun,
		Backlog:     mgtr.backlog,
		Concurrency: int(c.ApplyConcurrency),
		Wait:        mgtr.throttler.Gate().Wait,
		Linger:      mgtr.linger,

		StatementBytes: statementBytes,
		BatchSize:      c.GetDMLBatchSize,
		Retries:        c.MaxRetries(),
		Applied: func(events, delta int64, took time.Duration) {
			mgtr.milestone("applied")
			c.AddDMLEventsApplied(events)
			if c.CountTableRows {
				c.AddRowsDelta(delta)
			}
			mgtr.applyRate.observe(events, took)
			mgtr.log.Debugf("ApplyDMLEventQueries() applied %d events in one transaction", events)
		},
		Retrying: func(err error, attempt int64) {
			_ = mgtr.log.Errorf("applying events, attempt %d: %v", attempt, err)
		},
	})
	mgtr.background(func(ctx context.Context) error {
		defer db.Close() // its sessions are at rest
		err := writer.Run(ctx)
		if mysql.IsNoSuchTable(err) && mgtr.hasSwapped(ctx) {
			// What would still be applied has come too late, and the audit must be able to read on and tell of it.
			mgtr.backlog.Discard(ctx)
			return nil
		}
		return err
	})
	mgtr.owed, mgtr.holdWriter = writer.Conflicts, writer.Hold
	if mgtr.earlier != nil { // the stream has begun where nothing is missing, and has followed from there
		return nil
	}
	mgtr.streamer.Follow(mgtr.original.Columns.Len())
	mgtr.streamer.ghost.begin(mgtr.names.ghost)
	return mgtr.catchUp(ctx, ReadMigrationRangeValues)
}

// catchUp returns when everything that is committed by now has come through the stream and is applied.
func (mgtr *Migrator) catchUp(ctx context.Context, state ChangelogState) error {
	token := newToken(state, time.Now())
	arrived, forget := mgtr.streamer.Expect(token)
	defer forget()
	if err := mgtr.changelog.WriteState(ctx, token); err != nil {
		return err
	}
	select {
	case <-arrived:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// hasSwapped waits for the end of a cut-over attempt that is under way, if there is one, and tells whether the ghost has
// taken the original's place.
func (mgtr *Migrator) hasSwapped(ctx context.Context) bool {
	for mgtr.context.IsInCutOverCriticalSection() && !mgtr.context.IsCutOverComplete() {
		if pause(ctx, lookInterval) != nil {
			return false
		}
	}
	return mgtr.context.IsCutOverComplete()
}

// startThrottling waits until everything that may hold the migration back has been measured once.
func (mgtr *Migrator) startThrottling(ctx context.Context) error {
	mgtr.log.Infof("Waiting for first throttle metrics to be collected")
	mgtr.background(mgtr.throttler.Run)
	select {
	case <-mgtr.throttler.FirstCollected():
	case <-ctx.Done():
		return ctx.Err()
	}
	mgtr.log.Infof("First throttle metrics collected")
	if !mgtr.context.Revert {
		if err := mgtr.hooks.OnBeforeRowCopy(); err != nil {
			return err
		}
	}
	mgtr.background(mgtr.tickStatus)
	return nil
}

// copyRows copies what stands in the original.
func (mgtr *Migrator) copyRows(ctx context.Context) error {
	c := mgtr.context
	lockClause := ""
	if mgtr.original.Transactional() {
		lockClause = mgtr.applier.server.Dialect.SharedLockClause()
	}
	statements, err := sql.NewCopyStatements(mgtr.names.original, mgtr.names.ghost, mgtr.shared.Columns, mgtr.shared.Key, lockClause, mgtr.applier.timeZones, mgtr.shared.Filled...)
	if err != nil {
		return err
	}
	eager, err := mgtr.eagerStatements()
	if err != nil {
		return err
	}
	db, err := mgtr.applier.copySessions(c.DatabaseName, int(c.CopyConcurrency)+1)
	if err != nil {
		return err
	}
	defer db.Close() // its sessions are at rest
	bounds, err := mgtr.readBounds(ctx, db, statements)
	if err != nil {
		return err
	}
	if err := mgtr.checkNumbered(ctx, db); err != nil {
		return err
	}
	c.MigrationRangeMin, c.MigrationRangeMax = bounds.Min, bounds.Max
	mgtr.log.Infof("Migration min values: [%s]", rowcopy.FormatBound(bounds.Min))
	mgtr.log.Infof("Migration max values: [%s]", rowcopy.FormatBound(bounds.Max))
	if c.Noop {
		mgtr.copied.Store(true)
		return nil
	}
	c.MarkRowCopyStartTime()
	copier := rowcopy.NewCopier(rowcopy.Settings{
		Start:       mgtr.copyStart(),
		Pause:       pauseBeforeRetry,
		DB:          db,
		Statements:  statements,
		Eager:       eager,
		Bounds:      bounds,
		Concurrency: int(c.CopyConcurrency),
		Wait:        mgtr.mayCopy,
		ChunkSize:   c.GetChunkSize,
		ChunkTime:   c.ChunkTime,
		Yield:       mgtr.yield,
		NiceRatio:   c.GetNiceRatio,
		Retries:     c.MaxRetries(),
		Copied: func(r rowcopy.Range, rows int64, _ time.Duration) {
			mgtr.milestone("copied")
			c.AddRowsCopied(rows)
			c.NextIteration()
			mgtr.log.Debugf("Issued INSERT on range: %s; iteration: %d; chunk-size: %d", r, r.Iteration, c.GetChunkSize())
		},
		Retrying: mgtr.chunkFailed,
	})
	mgtr.copier.Store(copier)
	if err := copier.Run(ctx); err != nil {
		return err
	}
	if err := mgtr.watchStricterKeys(ctx, statements, bounds); err != nil {
		return err
	}
	c.MarkRowCopyEndTime()
	mgtr.copied.Store(true)
	mgtr.log.Infof("Row copy complete")
	if err := mgtr.printStatus(ctx, printLine, discard{}); err != nil {
		return err
	}
	mgtr.endCount()
	return mgtr.hooks.OnRowCopyComplete()
}

// readBounds reads the range to copy. Its first and last row may be locked for longer than a look waits: the last one by
// whoever is inserting it.
func (mgtr *Migrator) readBounds(ctx context.Context, db *gosql.DB, statements *sql.CopyStatements) (rowcopy.Bounds, error) {
	for attempt := int64(1); ; attempt++ {
		bounds, err := rowcopy.ReadBounds(ctx, db, statements)
		if err == nil || !mysql.IsRetryable(err) || attempt >= mgtr.context.MaxRetries() {
			return bounds, err
		}
		_ = mgtr.log.Errorf("attempt %d: %v", attempt, err)
		if err := pause(ctx, time.Second); err != nil {
			return bounds, err
		}
	}
}

type discard struct{}

func (discard) Write(p []byte) (int, error) { return len(p), nil }

// eagerStatements are the copy's statements that do not wait for locked rows; nil where the server knows no such thing.
func (mgtr *Migrator) eagerStatements() (*sql.CopyStatements, error) {
	clause := mgtr.applier.server.Dialect.SharedLockNoWaitClause()
	if clause == "" || !mgtr.original.Transactional() {
		return nil, nil
	}
	return sql.NewCopyStatements(mgtr.names.original, mgtr.names.ghost, mgtr.shared.Columns, mgtr.shared.Key, clause, mgtr.applier.timeZones, mgtr.shared.Filled...)
}

// mayCopy returns when a chunk may be copied: not throttled, and not while the backlog is more than half full, so that
// the copy cannot starve the events.
func (mgtr *Migrator) mayCopy(ctx context.Context) error {
	waitBegan := time.Now()
	defer func() { mgtr.measure.sleep(throttleSleep, time.Since(waitBegan)) }()
	for {
		if err := mgtr.throttler.Gate().Wait(ctx); err != nil {
			return err
		}
		if mgtr.backlog.Len() <= apply.BacklogCapacity/2 {
			return nil
		}
		if err := pause(ctx, yieldInterval); err != nil {
			return err
		}
	}
}

// linger is how long an event may wait for others. Under the cut-over's lock clients wait, and nothing else does.
func (mgtr *Migrator) linger() time.Duration {
	if mgtr.context.IsInCutOverCriticalSection() {
		return 0
	}
	return lingerTime
}

// yield is how long the copy rests for clients that write to the original, as a multiple of a chunk's time.
func (mgtr *Migrator) yield() float64 {
	if ratio := mgtr.context.CopyYieldRatio; ratio > 0 && mgtr.streamer.writes.areBusy(time.Now()) {
		return ratio
	}
	return 0
}

func (mgtr *Migrator) chunkFailed(r rowcopy.Range, err error, attempt int64) {
	_ = mgtr.log.Errorf("copying chunk %d, attempt %d: %v", r.Iteration, attempt, err)
	if hookErr := mgtr.hooks.OnBatchCopyRetry(err.Error()); hookErr != nil {
		_ = mgtr.log.Errore(hookErr)
	}
}

// swap cuts over.
func (mgtr *Migrator) swap(ctx context.Context) error {
	if err := mgtr.hooks.OnBeforeCutOver(); err != nil {
		return err
	}
	if mgtr.context.Noop {
		return nil
	}
	mgtr.refreshStatistics(ctx)
	if mgtr.carriesAutoIncrement() {
		mgtr.gate.obstacles = append(mgtr.gate.obstacles, mgtr.carryAutoIncrement)
	}
	mgtr.gate.obstacles = append(mgtr.gate.obstacles, mgtr.newRelations, mgtr.triggers.obstacle)
	err := mgtr.cutOver(ctx)
	if report := mgtr.lastReport.Load(); err != nil && report != nil {
		mgtr.measure.cutOverAttempt(cutOverAborted, report, time.Now())
	}
	return err
}

// cleanUp ends a run that has succeeded: it drops what is not needed any more.
func (mgtr *Migrator) cleanUp(ctx context.Context) error {
	c := mgtr.context
	mgtr.log.Infof("Writing changelog state: %s", Migrated)
	if err := mgtr.changelog.WriteState(ctx, string(Migrated)); err != nil {
		return err
	}
	mgtr.stopWork()
	mgtr.log.Infof("Closed streamer connection. err=%v", error(nil))
	if c.Noop {
		if err := mgtr.showGhost(ctx); err != nil {
			return err
		}
		var errs []error
		for _, table := range mgtr.created {
			errs = append(errs, mgtr.dropTable(ctx, table))
		}
		return errors.Join(append(errs, mgtr.succeed())...)
	}
	return mgtr.tidyUp(ctx)
}

// tidyUp drops what is not needed any more once the tables are swapped, or says how to.
func (mgtr *Migrator) tidyUp(ctx context.Context) error {
	c := mgtr.context
	if err := mgtr.dropTable(ctx, mgtr.table(c.GetChangelogTableName())); err != nil {
		return err
	}
	checkpoints, checkpointed := mgtr.table(c.GetCheckpointTableName()), mgtr.checkpoints != nil || mgtr.earlier != nil
	switch {
	case c.TestOnReplica:
		mgtr.adviseAfterTest()
	case c.OkToDropTable:
		if err := mgtr.dropTable(ctx, mgtr.names.old); err != nil {
			return err
		}
		if checkpointed {
			if err := mgtr.dropTable(ctx, checkpoints); err != nil {
				return err
			}
		}
	default:
		mgtr.log.Infof("The old table stays for as long as you want to look at it (--ok-to-drop-table would have dropped it). Once it is not needed:")
		mgtr.log.Infof("-- drop table %s", mgtr.names.old)
		if checkpointed {
			mgtr.log.Infof("So does the checkpoint table (--ok-to-drop-table would have dropped it), by which the migration can be undone with --revert --old-table=%s. Once it is not needed:", mgtr.names.old.Name)
			mgtr.log.Infof("-- drop table %s", checkpoints)
		}
	}
	return mgtr.succeed()
}

func (mgtr *Migrator) succeed() error {
	done := "migrating"
	if mgtr.context.Revert {
		done = "reverting"
	}
	mgtr.log.Infof("Done %s %s", done, mgtr.names.original)
	return mgtr.hooks.OnSuccess(false)
}

// showGhost prints the ghost table's structure, which is the result of a dry run.
func (mgtr *Migrator) showGhost(ctx context.Context) error {
	var name, structure string
	if err := mgtr.applier.general.QueryRowContext(ctx, "SHOW /* gh-ost */ CREATE TABLE "+mgtr.names.ghost.String()).Scan(&name, &structure); err != nil {
		return fmt.Errorf("reading the ghost table's structure: %w", err)
	}
	mgtr.log.Infof("New table structure follows")
	mgtr.printMutex.Lock()
	defer mgtr.printMutex.Unlock()
	_, err := fmt.Println(structure)
	return err
}
