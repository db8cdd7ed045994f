package logic

import (
	"context"
	gosql "database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/github/gh-ost/go/logic/inspect"
	"github.com/github/gh-ost/go/mysql"
)

// replicationRestartLimit is how long both of a replica's threads may take to run again.
const replicationRestartLimit = 10 * time.Second

// prepareBinaryLog makes sure that the inspected server logs whole rows, also of what it replicates.
func (mgtr *Migrator) prepareBinaryLog(ctx context.Context) error {
	c, db, dialect := mgtr.context, mgtr.inspectorDB, mgtr.inspector.Dialect
	var err error
	if c.OriginalBinlogFormat, err = mysql.GlobalVariable(ctx, db, "binlog_format"); err != nil && !errors.Is(err, gosql.ErrNoRows) {
		return err
	}
	err = inspect.CheckBinaryLog(ctx, db, dialect)
	if onlyFormatIsWrong(err) && c.SwitchToRowBinlogFormat {
		if err := mgtr.switchToRows(ctx); err != nil {
			return fmt.Errorf("--switch-to-rbr: %w", err)
		}
		if err := inspect.CheckBinaryLog(ctx, db, dialect); err != nil {
			return err
		}
	} else if err != nil {
		return err
	} else if err := mgtr.restartReplication(ctx); err != nil {
		return err
	}
	mgtr.log.Infof("binary logs validated on %s", c.InspectorConnectionConfig.Key)
	return nil
}

// onlyFormatIsWrong tells whether the binary log would do, were it not for its format.
func onlyFormatIsWrong(err error) bool {
	var faults interface{ Unwrap() []error }
	if !errors.As(err, &faults) || len(faults.Unwrap()) != 1 {
		return false
	}
	var fault *inspect.VariableError
	return errors.As(err, &fault) && fault.Variable == "binlog_format"
}

// switchToRows makes the inspected server log rows, also of what it replicates. It is not set back.
func (mgtr *Migrator) switchToRows(ctx context.Context) error {
	replica := mgtr.replica()
	replicas, err := replica.AttachedReplicas(ctx)
	if err != nil {
		return err
	}
	if len(replicas) > 0 {
		return fmt.Errorf("the inspected server has %d replica(s) attached, which would get another format than they are used to: set binlog_format = ROW by hand, or inspect a server without replicas", len(replicas))
	}
	channels, err := runningChannels(ctx, replica)
	if err != nil {
		return err
	}
	server := mgtr.context.InspectorConnectionConfig.Key
	mgtr.log.Infof("Setting binlog_format from %s to ROW on %s; it is not set back", mgtr.context.OriginalBinlogFormat, server)
	if len(channels) == 0 {
		err = mgtr.setRowFormat(ctx)
	} else {
		// Replication that runs keeps its format, and MySQL does not let the global one be changed meanwhile.
		mgtr.log.Infof("Restarting replication on %s around that", server)
		err = mgtr.withReplicationStopped(ctx, replica, mgtr.setRowFormat)
	}
	if err != nil {
		return err
	}
	_ = mgtr.log.Warningf("sessions that are open now keep their old binlog_format until they connect anew; if one of them changes the table, the migration ends")
	return nil
}

func (mgtr *Migrator) setRowFormat(ctx context.Context) error {
	if _, err := mgtr.inspectorDB.ExecContext(ctx, "SET /* gh-ost */ GLOBAL binlog_format = 'ROW'"); err != nil {
		return fmt.Errorf("setting binlog_format: %w", err)
	}
	return nil
}

// withReplicationStopped does something between the stop and the start of replication, which is started whatever happens.
func (mgtr *Migrator) withReplicationStopped(ctx context.Context, replica *mysql.Replica, do func(context.Context) error) error {
	detached, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*replicationLimit)
	defer cancel()
	err := replica.Stop(detached)
	if err == nil {
		err = do(detached)
	}
	if err := errors.Join(err, replica.Start(detached)); err != nil {
		return err
	}
	return replica.AwaitRunning(ctx, replicationRestartLimit)
}

// runningChannels returns the channels by which a server replicates; an error if one of them does not run, since it may
// have been stopped on purpose.
func runningChannels(ctx context.Context, replica *mysql.Replica) ([]mysql.ReplicaStatus, error) {
	channels, err := replica.Status(ctx)
	if err != nil {
		return nil, err
	}
	for _, channel := range channels {
		if !channel.Running() {
			return nil, &mysql.ReplicationStoppedError{Status: channel}
		}
	}
	return channels, nil
}

// restartReplication makes a replica's threads take up the global format: they keep the one that they were started
// with. Where this may not be done the run goes on, since the stream refuses changes that come as statements.
func (mgtr *Migrator) restartReplication(ctx context.Context) error {
	c := mgtr.context
	if c.AssumeRBR {
		return nil
	}
	replica := mgtr.replica()
	channels, err := runningChannels(ctx, replica)
	if err != nil || len(channels) == 0 {
		return err
	}
	mgtr.log.Infof("Restarting replication on %s so that its threads log rows, if they do not yet (--assume-rbr spares this)", c.InspectorConnectionConfig.Key)
	err = replica.Restart(ctx, replicationRestartLimit)
	if mysql.IsAccessDenied(err) {
		_ = mgtr.log.Warningf("replication could not be restarted to make sure that it logs rows (--assume-rbr says that it does): %v. The migration ends if a change of the table comes as a statement", err)
		return nil
	}
	return err
}
