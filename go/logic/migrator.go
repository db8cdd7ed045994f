// Package logic is the migration: it binds inspection, stream, copy, apply, throttling and cut-over to the servers, and
// to the people and scripts that watch.
package logic

import (
	"context"
	gosql "database/sql"
	"errors"
	"io"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/github/gh-ost/go/base"
	"github.com/github/gh-ost/go/logic/apply"
	"github.com/github/gh-ost/go/logic/inspect"
	"github.com/github/gh-ost/go/logic/rowcopy"
	"github.com/github/gh-ost/go/logic/server"
	"github.com/github/gh-ost/go/logic/status"
	"github.com/github/gh-ost/go/logic/throttle"
	"github.com/github/gh-ost/go/logic/verify"
	"github.com/github/gh-ost/go/mysql"
	"github.com/github/gh-ost/go/sql"
)

// Migrator carries out one migration.
type Migrator struct {
	context *base.MigrationContext
	version string
	log     base.Logger
	hooks   base.Hooks
	host    string // that this runs on

	alter *sql.AlterTableParser
	names cutOverNames

	inspectorDB    *gosql.DB
	inspectorNames sql.NameCase // of schemas and tables
	inspector      *mysql.Server
	applier        *Applier
	migrationLock  *migrationLock
	changelog      *Changelog
	backlog        *apply.Backlog
	streamer       *EventsStreamer
	throttler      *throttle.Throttler
	meter          *throttle.SQLMeter
	server         *server.Server
	heartbeat      *heartbeat
	gate           *cutOverGate
	lockWatch      *lockWatch

	checkpoints *checkpointer          // nil unless checkpoints are written
	earlier     *Checkpoint            // that this run goes on from, or reverts by; nil: it begins from scratch
	swapped     cutOverPlace           // its zero value: no swap is noted
	undecided   atomic.Pointer[string] // the token of an attempt that has begun and is not known to have failed; nil: there is none
	logIsLost   atomic.Bool            // the binary log has not any more what this run would have to read
	copier      atomic.Pointer[rowcopy.Copier]
	closers     []io.Closer // pools that are closed with the run

	original        *inspect.Table
	shared          *inspect.Shared
	keys            *sql.ApplyStatements
	owed            func() []apply.Conflict                               // rows that the writer could not insert
	stricter        *stricterKeys                                         // nil unless the ghost has a unique key that rows of the original may break
	verification    *sql.VerifyStatements                                 // nil unless the ghost is to be verified
	verifier        atomic.Pointer[verify.Verifier]                       // nil until that begins
	conflictsPassed atomic.Bool                                           // once: no row was missing because of a stricter key, when all was copied
	triggers        *triggerMover                                         // nil unless the triggers move along
	holdWriter      func(ctx context.Context) (release func(), err error) // nil until events are applied
	patience        time.Duration                                         // with rows that break such a key when the cut-over is due
	aborted         atomic.Bool                                           // by command, flag file or critical load: nothing is cleaned up

	group        *errgroup.Group // owns everything that runs beside the main flow
	work         context.Context //nolint:containedctx // of what runs in the background; ends with the run, or with stopWork
	endWork      context.CancelFunc
	working      sync.WaitGroup
	created      []sql.TableName    // helper tables made by this run
	copied       atomic.Bool        // the row copy is complete
	counting     atomic.Bool        // rows are counted, and the copy waits for it
	stopCounting context.CancelFunc // ends a count in the background; nil: there is none
	inplace      inplaceProof       // what building the ghost has shown of --attempt-inplace-ddl
	measure      *measurements
	applyRate    rate
	lastReport   atomic.Pointer[CutOverReport]
	statusMutex  sync.Mutex // guards estimator
	estimator    status.Estimator
	cadence      status.Cadence    // the ticker's alone
	printMutex   sync.Mutex        // one status at a time on stdout
	milestone    func(name string) // told each step, chunk and batch; a seam for tests, else does nothing
	seam         func(point string)
	bend         func(apply.Statements) apply.Statements // what the writer sends; a seam for fault tests, else as it is
}

// NewMigrator returns a migrator. It uses the context's hooks, or the scripts at its hooks path if it has none.
func NewMigrator(context *base.MigrationContext, appVersion string) *Migrator {
	mgtr := &Migrator{context: context, version: appVersion, log: context.Log, hooks: context.Hooks, backlog: apply.NewBacklog(), patience: conflictPatience, seam: func(string) {}, milestone: func(string) {}, bend: func(s apply.Statements) apply.Statements { return s },
		measure: &measurements{emitter: context.Emitter()}}
	if mgtr.hooks == nil {
		executor := NewHooksExecutor(context)
		executor.report = mgtr.lastReport.Load
		mgtr.hooks = executor
	}
	var err error
	if mgtr.host, err = os.Hostname(); err != nil {
		mgtr.host = "unknown"
	}
	return mgtr
}

// Migrate carries out the migration. On an error the caller runs ExecOnFailureHook. It is called once.
func (mgtr *Migrator) Migrate() (err error) {
	mgtr.log.Infof("Migrating %s", mgtr.table(mgtr.context.OriginalTableName))
	return mgtr.carryOut()
}

// Revert undoes an earlier migration: the old table that it left takes its name back, with every write made since. On an
// error the caller runs ExecOnFailureHook. It is called once, instead of Migrate.
func (mgtr *Migrator) Revert() error {
	c := mgtr.context
	c.Revert = true
	mgtr.log.Infof("Reverting %s from %s", mgtr.table(c.OriginalTableName), mgtr.table(c.OldTableName))
	return mgtr.carryOut()
}

func (mgtr *Migrator) carryOut() (err error) {
	mgtr.context.MarkStart()
	mgtr.measure.startup()
	var ctx context.Context
	mgtr.group, ctx = errgroup.WithContext(mgtr.context.GetContext())
	finished, finish := context.WithCancel(ctx)
	mgtr.group.Go(func() error { return mgtr.listenForAbort(finished) })

	mgtr.work, mgtr.endWork = context.WithCancel(finished)
	err = mgtr.run(finished)

	if err != nil && ctx.Err() != nil {
		err = mgtr.cause(ctx, err)
	}
	finish()
	mgtr.endWork()
	if background := mgtr.group.Wait(); err == nil {
		err = background
	}
	if err != nil {
		mgtr.context.SetAbortError(err)
		mgtr.giveUp(context.WithoutCancel(ctx))
	}
	mgtr.measure.end(time.Now())
	mgtr.teardown()
	return err
}

// cause is why the run's context ended, which explains the error that the main flow came to.
func (mgtr *Migrator) cause(ctx context.Context, err error) error {
	if aborted := mgtr.context.GetAbortError(); aborted != nil {
		return aborted
	}
	if cause := context.Cause(ctx); cause != nil && !errors.Is(cause, context.Canceled) {
		return cause
	}
	return err
}

// run is the migration from top to bottom.
func (mgtr *Migrator) run(ctx context.Context) error {
	switch c := mgtr.context; {
	case c.Revert:
		return mgtr.revert(ctx)
	case c.Resume:
		return mgtr.resume(ctx)
	}
	return mgtr.steps(ctx, append([]step{
		{"validate", mgtr.validate},
		{"connect", mgtr.connect},
		{"inspect", mgtr.inspect},
		{"stream", mgtr.stream},
		{"listen", mgtr.listen},
		{"takeLock", mgtr.takeLock},
		{"createTables", mgtr.createTables},
		{"compareTables", mgtr.compareTables},
		{"alterDirectly", mgtr.alterDirectly},
		{"prepareVerification", mgtr.prepareVerification},
		{"prepareCheckpoints", mgtr.prepareCheckpoints},
		{"serve", mgtr.serve},
	}, mgtr.copyAndSwap()...)...)
}

// copyAndSwap are the steps from the first applied event on, which are the same for a run that begins and one that goes on.
func (mgtr *Migrator) copyAndSwap() []step {
	return []step{
		{"countRows", mgtr.countRows},
		{"follow", mgtr.follow},
		{"beginCheckpoints", mgtr.beginCheckpoints},
		{"startThrottling", mgtr.startThrottling},
		{"copyRows", mgtr.copyRows},
		{"verify", mgtr.verify},
		{"swap", mgtr.swap},
		{"cleanUp", mgtr.cleanUp},
	}
}

// errMigrationComplete is what a step returns that leaves nothing to do for those after it.
var errMigrationComplete = errors.New("nothing is left to do")

// step is a part of a run, with the name by which tests know its beginning.
type step struct {
	name string
	take func(context.Context) error
}

// steps takes one step after the other, until one fails, none is left to take, or the run ends.
func (mgtr *Migrator) steps(ctx context.Context, steps ...step) error {
	for _, step := range steps {
		mgtr.milestone(step.name)
		err := step.take(ctx)
		if errors.Is(err, errMigrationComplete) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	return nil
}

// background runs something beside the main flow, until the run ends or stopWork is called. Its error ends the run.
func (mgtr *Migrator) background(run func(ctx context.Context) error) {
	mgtr.working.Add(1)
	mgtr.group.Go(func() error {
		defer mgtr.working.Done()
		return run(mgtr.work)
	})
}

// stopWork ends everything that runs in the background, and waits for it.
func (mgtr *Migrator) stopWork() {
	mgtr.endWork()
	mgtr.working.Wait()
}

// listenForAbort ends the run with the error that somebody sends to the context's PanicAbort.
func (mgtr *Migrator) listenForAbort(ctx context.Context) error {
	select {
	case err := <-mgtr.context.PanicAbort:
		mgtr.abort(err)
		return err
	case <-ctx.Done():
		return nil
	}
}

// abort ends the run at once. Helper tables stay.
func (mgtr *Migrator) abort(err error) {
	mgtr.aborted.Store(true)
	_ = mgtr.log.Errorf("migration aborted: %v", err)
	mgtr.context.SetAbortError(err)
	mgtr.context.CancelContext()
}

// ExecOnFailureHook runs the hook for a failed run.
func (mgtr *Migrator) ExecOnFailureHook() (err error) {
	return mgtr.hooks.OnFailure()
}

// giveUp leaves the server as it was where the run has not begun to copy, and says what stays behind where it has, or
// where the run was aborted by somebody who may want to look.
func (mgtr *Migrator) giveUp(ctx context.Context) {
	if mgtr.applier == nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	if mgtr.applier.sentryMayBeLeft {
		if err := mgtr.applier.clearSentry(ctx, mgtr.names.old); err != nil {
			_ = mgtr.log.Errore(err)
		}
	}
	if mgtr.context.IsCutOverComplete() {
		return
	}
	stay := mgtr.context.ElapsedRowCopyTime() > 0 || mgtr.aborted.Load() || mgtr.earlier != nil && !mgtr.context.Revert
	if stay {
		mgtr.lastCheckpoint(ctx)
	}
	for _, table := range mgtr.created {
		if stay {
			_ = mgtr.log.Errorf("left behind: %s; to remove it: DROP TABLE %s", table, table)
			continue
		}
		if err := (tables{mgtr.applier.general}).drop(ctx, table); err != nil {
			_ = mgtr.log.Errore(err)
		}
	}
	if stay && len(mgtr.created) > 0 {
		_ = mgtr.log.Errorf("to remove all that is left of this migration: %s", cleanUpCommand(mgtr.context))
	}
}

// teardown closes all connections.
func (mgtr *Migrator) teardown() {
	if mgtr.server != nil {
		mgtr.log.Infof("Removing socket file: %s", mgtr.context.ServeSocketFile)
		if err := mgtr.server.Close(); err != nil {
			_ = mgtr.log.Errore(err)
		}
	}
	mgtr.log.Infof("Tearing down inspector")
	if mgtr.inspectorDB != nil {
		_ = mgtr.inspectorDB.Close() // nothing depends on it any more
	}
	mgtr.log.Infof("Tearing down applier")
	for _, closer := range mgtr.closers {
		_ = closer.Close() // nothing depends on it any more
	}
	if mgtr.migrationLock != nil {
		mgtr.migrationLock.release(context.WithoutCancel(mgtr.context.GetContext()))
	}
	if mgtr.applier != nil {
		mgtr.applier.Close()
	}
	mgtr.log.Infof("Tearing down streamer")
	mgtr.log.Infof("Tearing down throttler")
	if mgtr.meter != nil {
		_ = mgtr.meter.Close()
	}
}
