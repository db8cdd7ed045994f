package logic

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/github/gh-ost/go/mysql"
)

// To test on a replica, an attempt is made as on a primary, with replication stopped, and then the tables are swapped
// back. So two tables are left that can be compared: the original, and the ghost with the same rows in the new structure.

const (
	// replicationLimit bounds each statement that stops or starts replication: STOP waits for the transaction that is being
	// applied.
	replicationLimit = 30 * time.Second

	// swapBackAttempts is how often the swap back is tried.
	swapBackAttempts = 3
)

// testOnReplica makes one attempt with the given way to swap, and swaps back. Replication stays stopped after a success,
// and where the tables could not be swapped back; after any other failure it is started again.
func (mgtr *Migrator) testOnReplica(ctx context.Context, report *CutOverReport, swap func(context.Context, *CutOverReport) error) error {
	if err := mgtr.hooks.OnStopReplication(); err != nil {
		return fmt.Errorf("on-stop-replication hook: %w", err)
	}
	err := mgtr.stopReplication(ctx)
	if err == nil {
		err = swap(ctx, report)
	}
	if errors.Is(err, errOutcomeUnknown) {
		return fmt.Errorf("replication stays stopped: %w", err)
	}
	if mgtr.context.IsCutOverComplete() {
		if backErr := mgtr.swapBack(context.WithoutCancel(ctx)); backErr != nil {
			return errors.Join(err, backErr)
		}
		err = errors.Join(err, mgtr.triggers.removeAfterSwapBack(context.WithoutCancel(ctx)))
	}
	if err != nil {
		mgtr.resumeReplication(context.WithoutCancel(ctx))
	}
	return err
}

func (mgtr *Migrator) replica() *mysql.Replica {
	return mysql.NewReplica(mgtr.inspectorDB, mgtr.inspector.Dialect)
}

func (mgtr *Migrator) stopReplication(ctx context.Context) error {
	if mgtr.context.TestOnReplicaSkipReplicaStop {
		_ = mgtr.log.Warningf("--test-on-replica-skip-replica-stop: replication is not stopped here but, if at all, by the hook on-stop-replication")
		return nil
	}
	replica := mgtr.replica()
	ctx, cancel := context.WithTimeout(ctx, 2*replicationLimit)
	defer cancel()
	// The SQL thread ends only behind a whole transaction, and MySQL waits a minute for the rest of one that the IO thread has
	// left half received. So it goes first, and is looked at again in its turn.
	if err := replica.StopSQLThread(ctx); err != nil {
		return err
	}
	mgtr.log.Debugf("testing on replica. Stopping replication IO thread")
	mgtr.log.Infof("Stopping replication IO thread")
	if err := replica.StopIOThread(ctx); err != nil {
		return err
	}
	mgtr.log.Infof("Replication IO thread stopped")
	mgtr.log.Infof("Verifying SQL thread is stopped")
	if err := replica.StopSQLThread(ctx); err != nil {
		return err
	}
	mgtr.log.Infof("SQL thread stopped")
	channels, err := replica.Status(ctx)
	if err != nil {
		return err
	}
	for _, channel := range channels {
		mgtr.log.Infof("Replication IO thread at %s. SQL thread is at %s", channel.Fetched.DisplayString(), channel.Applied.DisplayString())
	}
	return nil
}

// resumeReplication starts replication after a failed attempt, unless the hook forbids it.
func (mgtr *Migrator) resumeReplication(ctx context.Context) {
	if err := mgtr.hooks.OnStartReplication(); err != nil {
		_ = mgtr.log.Errorf("on-start-replication hook: %v. Replication is not started", err)
		return
	}
	if mgtr.context.TestOnReplicaSkipReplicaStop {
		return
	}
	if err := mgtr.startReplication(ctx); err != nil {
		_ = mgtr.log.Errorf("replication could not be started again: %v. Start it by hand", err)
	}
}

func (mgtr *Migrator) startReplication(ctx context.Context) error {
	replica := mgtr.replica()
	ctx, cancel := context.WithTimeout(ctx, 2*replicationLimit)
	defer cancel()
	mgtr.log.Infof("Starting replication IO thread")
	if err := replica.StartIOThread(ctx); err != nil {
		return err
	}
	mgtr.log.Infof("Replication IO thread started")
	mgtr.log.Infof("Verifying SQL thread is running")
	if err := replica.StartSQLThread(ctx); err != nil {
		return err
	}
	mgtr.log.Infof("SQL thread started")
	if err := replica.AwaitRunning(ctx, replicationRestartLimit); err != nil {
		return err
	}
	mgtr.log.Infof("Replication started")
	return nil
}

// swapBack undoes the swap: its statement is the same in reverse. Since an answer may be lost, the server is asked which
// table stands under which name.
func (mgtr *Migrator) swapBack(ctx context.Context) error {
	control, err := openControlSessions(ctx, mgtr.applier.config, mgtr.applier.server.Dialect)
	if err != nil {
		return mgtr.notSwappedBack(err)
	}
	defer control.close()
	for attempt := 1; ; attempt++ {
		mgtr.log.Infof("Renaming back both tables")
		limited, cancel := context.WithTimeout(ctx, 10*time.Second)
		_, err := control.db.ExecContext(limited, mgtr.swapBackStatement())
		cancel()
		if err == nil {
			return nil
		}
		if tables, truthErr := control.tablesPresent(ctx, mgtr.names); truthErr == nil && tables.untouched() {
			return nil
		}
		if attempt >= swapBackAttempts {
			return mgtr.notSwappedBack(err)
		}
		_ = mgtr.log.Errorf("renaming back, attempt %d: %v", attempt, err)
		if err := pause(ctx, time.Second); err != nil {
			return mgtr.notSwappedBack(err)
		}
	}
}

func (mgtr *Migrator) swapBackStatement() string {
	return fmt.Sprintf("RENAME /* gh-ost */ TABLE %s TO %s, %s TO %s", mgtr.names.original, mgtr.names.ghost, mgtr.names.old, mgtr.names.original)
}

func (mgtr *Migrator) notSwappedBack(err error) error {
	return fmt.Errorf("the tables were swapped and could not be swapped back; replication stays stopped, so that no change is lost. "+
		"By hand: %s; then start replication: %w", mgtr.swapBackStatement(), err)
}

// adviseAfterTest says what a test has left.
func (mgtr *Migrator) adviseAfterTest() {
	if mgtr.context.OkToDropTable {
		mgtr.log.Infof("--ok-to-drop-table has no effect with --test-on-replica")
	}
	mgtr.log.Infof("Both tables stay, to be compared: %s as it was, %s with the new structure", mgtr.names.original, mgtr.names.ghost)
	if !mgtr.context.TestOnReplicaSkipReplicaStop {
		mgtr.log.Infof("Replication is stopped at one point of both. Once they are compared: %s", mgtr.inspector.Dialect.StartReplica())
	}
	mgtr.log.Infof("-- drop table %s", mgtr.names.ghost)
}
