package logic

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/github/gh-ost/go/base"
	"github.com/github/gh-ost/go/logic/inspect"
)

// Some changes need no migration: the server alters the original by writing down its new definition (--attempt-instant-ddl,
// --attempt-inplace-ddl). That is tried when the ghost has been built and compared with the original, so that nothing is
// altered that a migration would refuse. What the server does not do at once is migrated.

// directWay is one way to have the server alter the original.
type directWay struct {
	algorithm string // as the server names it
	clauses   string // go before the options: these may end in a comment
	verdict   string // how the table was altered, for the log
}

// alterDirectly has the server alter the original at once, if that is wanted and the server can; then the migration is
// complete. If not, it returns nil.
func (mgtr *Migrator) alterDirectly(ctx context.Context) error {
	if !mgtr.context.AttemptInstantDDL && !mgtr.context.AttemptInplaceDDL {
		return nil
	}
	if reason, err := mgtr.reasonAgainstDirectDDL(ctx); err != nil {
		return err
	} else if reason != "" {
		mgtr.log.Infof("The original is not altered directly: %s", reason)
		return nil
	}
	ways := mgtr.directWays()
	if len(ways) == 0 {
		return nil
	}
	throttled, stop, err := mgtr.throttleDirectDDL(ctx)
	if err != nil {
		return err
	}
	defer stop()
	c := mgtr.context
	ddl := &directDDL{
		applier:   mgtr.applier,
		log:       mgtr.log,
		names:     mgtr.names,
		options:   c.AlterStatementOptions,
		timeout:   c.CutOverLockTimeout(),
		retries:   c.MaxRetries(),
		throttled: throttled,
		watch:     newLockWatch(mgtr.applier, mgtr.names, lockWatchSettings{LockTimeout: c.CutOverLockTimeout()}),
	}
	for _, way := range ways {
		altered, err := ddl.run(ctx, way)
		if err != nil {
			return err
		}
		if altered {
			stop()
			mgtr.log.Infof("Success! table %s %s", mgtr.names.original, way.verdict)
			return mgtr.completeDirectly(context.WithoutCancel(ctx))
		}
	}
	return nil
}

// directWays is what is wanted, the quickest first, without what contradicts the ALTER's own clauses or was shown not to
// work with the ghost.
func (mgtr *Migrator) directWays() (ways []directWay) {
	c, algorithm, lock := mgtr.context, mgtr.alter.Algorithm(), mgtr.alter.Lock()
	skip := func(algorithm, reason string) {
		mgtr.log.Infof("ALGORITHM=%s is not attempted: %s", algorithm, reason)
	}
	if c.AttemptInstantDDL {
		way := directWay{algorithm: "INSTANT", clauses: "ALGORITHM=INSTANT, ", verdict: "migrated instantly"}
		switch algorithm {
		case "INSTANT":
			way.clauses = ""
			ways = append(ways, way)
		case "":
			ways = append(ways, way)
		default:
			skip(way.algorithm, "--alter says ALGORITHM="+algorithm)
		}
	}
	if c.AttemptInplaceDDL {
		way := directWay{algorithm: "INPLACE", clauses: inplaceClauses(algorithm, lock), verdict: "migrated in place"}
		switch {
		case contradictsInplace(algorithm, lock) != "":
			skip(way.algorithm, contradictsInplace(algorithm, lock))
		case mgtr.inplace.refusal != "":
			skip(way.algorithm, mgtr.inplace.refusal)
		default:
			ways = append(ways, way)
		}
	}
	return ways
}

// reasonAgainstDirectDDL is why the original must not be altered itself, although that is wanted; "" if it may.
func (mgtr *Migrator) reasonAgainstDirectDDL(ctx context.Context) (string, error) {
	c := mgtr.context
	switch {
	case c.Noop:
		return "this is a dry run", nil
	case c.TestOnReplica:
		return "with --test-on-replica it must stay as it is", nil
	case c.SkipRenamedColumns && mgtr.alter.HasNonTrivialRenames():
		return "the server would carry over the data of renamed columns, which --skip-renamed-columns forbids", nil
	case c.DiscardForeignKeys:
		if err := inspect.CheckForeignKeys(ctx, mgtr.applier.general, mgtr.names.original, false); err != nil {
			if ctx.Err() != nil {
				return "", ctx.Err()
			}
			return "it would keep the foreign keys that --discard-foreign-keys is to drop", nil
		}
	}
	return "", nil
}

// throttleDirectDDL begins to look for reasons to hold back, and returns what waits for their end. The caller calls stop,
// which may be called twice, when it is done. The migration's own throttler begins later, when commands are taken.
func (mgtr *Migrator) throttleDirectDDL(ctx context.Context) (wait func(context.Context) error, stop func(), err error) {
	throttler, meter := newThrottler(mgtr)
	running, cancel := context.WithCancel(ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = throttler.Run(running) // nil when its context ends
	}()
	stop = sync.OnceFunc(func() {
		cancel()
		<-ended
		_ = meter.Close() // nothing depends on it any more
	})
	select {
	case <-throttler.FirstCollected():
	case <-ctx.Done():
		stop()
		return nil, nil, ctx.Err()
	}
	return func(ctx context.Context) error {
		if held, reason, _ := throttler.Gate().State(); held {
			mgtr.log.Infof("the ALTER waits: throttled, %s", reason)
		}
		return throttler.Gate().Wait(ctx)
	}, stop, nil
}

// directCleanUpLimit bounds the end of a run whose table was altered directly.
const directCleanUpLimit = 60 * time.Second

// completeDirectly ends a run whose original was altered directly: it drops the helper tables. The context is not the run's
// any more: the change is made, whatever else ends the run now.
func (mgtr *Migrator) completeDirectly(ctx context.Context) error {
	limited, cancel := context.WithTimeout(ctx, directCleanUpLimit)
	defer cancel()
	mgtr.stopWork()
	mgtr.log.Infof("Closed streamer connection. err=%v", error(nil))
	helper := tables{mgtr.applier.general}
	for _, table := range mgtr.created {
		mgtr.log.Infof("Dropping table %s", table)
		if err := helper.drop(limited, table); err != nil {
			return fmt.Errorf("the table %s is altered, but: %w", mgtr.names.original, err)
		}
		mgtr.log.Infof("Table dropped")
	}
	mgtr.created = nil
	mgtr.log.Infof("Done migrating %s", mgtr.names.original)
	if err := mgtr.hooks.OnSuccess(true); err != nil {
		return fmt.Errorf("the table %s is altered, but: %w", mgtr.names.original, err)
	}
	return errMigrationComplete
}

// directDDL alters the original where it stands.
type directDDL struct {
	applier   *Applier
	log       base.Logger
	names     cutOverNames
	options   string
	timeout   time.Duration // for which clients may have to wait, as at the cut-over
	retries   int64
	throttled func(ctx context.Context) error
	watch     *lockWatch
}

const (
	// directPause is the pause after an attempt that held clients up in vain, times the number of such attempts, up to
	// maxDirectPause.
	directPause    = 5 * time.Second
	maxDirectPause = 30 * time.Second
)

// run alters the original in one way. altered is false, and there is no error, if the server refuses, or if the table
// could not be had in as many attempts as may be made. An attempt that only looked at a table that was held counts too:
// after so many lock timeouts the migration had better begin with its work.
func (d *directDDL) run(ctx context.Context, way directWay) (altered bool, err error) {
	d.log.Infof("Attempting to execute alter with ALGORITHM=%s", way.algorithm)
	d.log.Infof("%s DDL query is: %s", way.algorithm, d.statement(way))
	inVain := 0
	for attempt := int64(1); ; attempt++ {
		err := d.awaitTable(ctx)
		var held *heldError
		if err == nil {
			var outcome directOutcome
			outcome, err = d.attempt(ctx, way)
			switch outcome {
			case directDone:
				return true, nil
			case directUnknown:
				return false, err
			case directRefused:
				if ctx.Err() != nil {
					return false, ctx.Err()
				}
				d.log.Infof("ALGORITHM=%s not supported for this change, the table is not altered directly: %v", way.algorithm, err)
				return false, nil
			case directMayRetry:
				inVain++
			}
		}
		switch {
		case ctx.Err() != nil:
			return false, ctx.Err()
		case attempt >= d.retries:
			d.log.Infof("ALGORITHM=%s is given up after %d attempts, the table is not altered directly: %v", way.algorithm, attempt, err)
			return false, nil
		case errors.As(err, &held): // nobody was held up
			d.log.Infof("attempt %d: %v", attempt, err)
			continue
		}
		d.log.Infof("attempt %d to alter the original failed: %v", attempt, err)
		if err := pauseBeforeRetry(ctx, min(time.Duration(inVain)*directPause, maxDirectPause)); err != nil {
			return false, err
		}
	}
}

func (d *directDDL) statement(way directWay) string {
	return fmt.Sprintf("ALTER /* gh-ost */ TABLE %s %s%s", d.names.original, way.clauses, d.options)
}

// heldError says that somebody has kept the table for longer than one may wait for it.
type heldError struct{ reason string }

func (e *heldError) Error() string { return "the ALTER waits: " + e.reason }

// awaitTable returns when nothing is known that would make the ALTER wait, and everybody else behind it. The error is a
// *heldError if the table was held for a whole lock timeout. Throttling may last as long as it will.
func (d *directDDL) awaitTable(ctx context.Context) error {
	if err := d.throttled(ctx); err != nil {
		return err
	}
	for began := time.Now(); ; {
		reason, err := d.watch.beforeLock(ctx)
		if err != nil || reason == "" {
			return err
		}
		if time.Since(began) > d.timeout {
			return &heldError{reason}
		}
		if err := pause(ctx, gateInterval); err != nil {
			return err
		}
	}
}
