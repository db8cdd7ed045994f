package mysql

import (
	"context"
	gosql "database/sql"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// ReplicationLagResult is what was found when a replica's lag was read.
type ReplicationLagResult struct {
	Key InstanceKey
	Lag time.Duration // meaningless if Err is set
	Err error
}

// HasLag tells whether the replica is behind at all.
func (r *ReplicationLagResult) HasLag() bool {
	return r.Lag > 0
}

// ReplicaStatus is the state of one replication channel: how far the server has come in what one source sends it.
type ReplicaStatus struct {
	Channel      string // name of the channel or connection; empty for the default one
	Source       InstanceKey
	IORunning    string                // "Yes", "No", or "Connecting" and the like while the source does not answer
	SQLRunning   string                // "Yes" or "No"
	Fetched      FileBinlogCoordinates // in the source's binary log: received up to here
	Applied      FileBinlogCoordinates // in the source's binary log: applied up to here
	Lag          time.Duration         // as the server reckons it, whole seconds; meaningless unless LagKnown
	LagKnown     bool                  // false while a thread is stopped
	LastIOError  string
	LastSQLError string
}

// Running tells whether the channel fetches and applies.
func (s ReplicaStatus) Running() bool {
	return s.ioRuns() && s.sqlRuns()
}

func (s ReplicaStatus) ioRuns() bool  { return strings.EqualFold(s.IORunning, "Yes") }
func (s ReplicaStatus) sqlRuns() bool { return strings.EqualFold(s.SQLRunning, "Yes") }

// active tells a channel that replicates, or is meant to, from a leftover of one that was reset.
func (s ReplicaStatus) active() bool {
	return s.Fetched.LogFile != "" || s.IORunning != "No" || s.SQLRunning != "No"
}

// String describes the channel's state for messages.
func (s ReplicaStatus) String() string {
	text := fmt.Sprintf("source %s, IO thread running: %s, SQL thread running: %s", s.Source, s.IORunning, s.SQLRunning)
	if s.Channel != "" {
		text = fmt.Sprintf("channel %s, %s", s.Channel, text)
	}
	if s.LastIOError != "" {
		text += ", last IO error: " + s.LastIOError
	}
	if s.LastSQLError != "" {
		text += ", last SQL error: " + s.LastSQLError
	}
	return text
}

// A ReplicationStoppedError says that a server does not replicate although it has a source.
type ReplicationStoppedError struct {
	Status ReplicaStatus
}

// Error implements error.
func (e *ReplicationStoppedError) Error() string {
	return "replication is not running (" + e.Status.String() + "): start it and make sure that it stays up"
}

// Replica reads and drives the replication of one server. All its channels are stopped and started together.
type Replica struct {
	db      *gosql.DB
	dialect Dialect
}

// NewReplica returns a Replica for the server of a pool; the pool stays the caller's.
func NewReplica(db *gosql.DB, dialect Dialect) *Replica {
	return &Replica{db: db, dialect: dialect}
}

// Status returns the state of each channel; none if the server is a primary. Channels that were reset do not count.
func (r *Replica) Status(ctx context.Context) ([]ReplicaStatus, error) {
	return readReplicaStatus(ctx, r.db, r.dialect)
}

func readReplicaStatus(ctx context.Context, q Querier, dialect Dialect) ([]ReplicaStatus, error) {
	rows, err := readRows(ctx, q, dialect.ShowReplicaStatus())
	if err != nil {
		return nil, fmt.Errorf("reading replica status: %w", err)
	}
	var statuses []ReplicaStatus
	for _, row := range rows {
		status, err := parseReplicaStatus(row, dialect)
		if err != nil {
			return nil, fmt.Errorf("reading replica status: %w", err)
		}
		if status.active() {
			statuses = append(statuses, status)
		}
	}
	return statuses, nil
}

func parseReplicaStatus(row map[string]gosql.NullString, dialect Dialect) (ReplicaStatus, error) {
	text := func(term ReplicaTerm) string { return row[dialect.ReplicaStatusColumn(term)].String }
	if _, ok := row[dialect.ReplicaStatusColumn(SourceHost)]; !ok {
		return ReplicaStatus{}, fmt.Errorf("the result has no column %s, which %s should have",
			dialect.ReplicaStatusColumn(SourceHost), dialect)
	}
	status := ReplicaStatus{
		Channel:      text(ChannelName),
		Source:       InstanceKey{Hostname: text(SourceHost)},
		IORunning:    text(ReplicaIORunning),
		SQLRunning:   text(ReplicaSQLRunning),
		Fetched:      FileBinlogCoordinates{LogFile: text(SourceLogFile)},
		Applied:      FileBinlogCoordinates{LogFile: text(RelaySourceLogFile)},
		LastIOError:  text(LastIOError),
		LastSQLError: text(LastSQLError),
	}
	port, err := strconv.Atoi(text(SourcePort))
	if err != nil {
		return ReplicaStatus{}, fmt.Errorf("port of the source: %w", err)
	}
	status.Source.Port = port
	if status.Fetched.LogPos, err = strconv.ParseInt(text(ReadSourceLogPos), 10, 64); err != nil {
		return ReplicaStatus{}, fmt.Errorf("position that was fetched: %w", err)
	}
	if status.Applied.LogPos, err = strconv.ParseInt(text(ExecSourceLogPos), 10, 64); err != nil {
		return ReplicaStatus{}, fmt.Errorf("position that was applied: %w", err)
	}
	if lag := row[dialect.ReplicaStatusColumn(SecondsBehindSource)]; lag.Valid {
		seconds, err := strconv.ParseInt(lag.String, 10, 64)
		if err != nil {
			return ReplicaStatus{}, fmt.Errorf("seconds behind the source: %w", err)
		}
		status.Lag, status.LagKnown = time.Duration(seconds)*time.Second, true
	}
	return status, nil
}

// Lag returns the largest lag of all channels, in whole seconds; a *ReplicationStoppedError if one does not run. A
// server without a source has none.
func (r *Replica) Lag(ctx context.Context) (time.Duration, error) {
	statuses, err := r.Status(ctx)
	if err != nil {
		return 0, err
	}
	var largest time.Duration
	for _, status := range statuses {
		if !status.LagKnown || !status.Running() {
			return 0, &ReplicationStoppedError{Status: status}
		}
		largest = max(largest, status.Lag)
	}
	return largest, nil
}

// Stop stops both threads.
func (r *Replica) Stop(ctx context.Context) error { return r.drive(ctx, r.dialect.StopReplica()) }

// Start starts both threads; AwaitRunning tells whether they stay up.
func (r *Replica) Start(ctx context.Context) error { return r.drive(ctx, r.dialect.StartReplica()) }

// StopIOThread stops fetching; what has been fetched is still applied.
func (r *Replica) StopIOThread(ctx context.Context) error {
	return r.drive(ctx, r.dialect.StopReplicaIOThread())
}

// StartIOThread starts fetching.
func (r *Replica) StartIOThread(ctx context.Context) error {
	return r.drive(ctx, r.dialect.StartReplicaIOThread())
}

// StopSQLThread stops applying.
func (r *Replica) StopSQLThread(ctx context.Context) error {
	return r.drive(ctx, r.dialect.StopReplicaSQLThread())
}

// StartSQLThread starts applying.
func (r *Replica) StartSQLThread(ctx context.Context) error {
	return r.drive(ctx, r.dialect.StartReplicaSQLThread())
}

func (r *Replica) drive(ctx context.Context, statement string) error {
	if _, err := r.db.ExecContext(ctx, statement); err != nil {
		return fmt.Errorf("%s: %w", statement, err)
	}
	return nil
}

// restartLimit bounds each of Restart's two statements; STOP waits for the transaction that is being applied.
const restartLimit = 30 * time.Second

// Restart stops and starts replication, so that its threads take up changed global settings such as the binary log's
// format. It returns when both run again, or with a *ReplicationStoppedError after the time-out.
func (r *Replica) Restart(ctx context.Context, timeout time.Duration) error {
	// Neither a caller who gives up nor a slow STOP, which the server may still carry out, may leave the replica stopped.
	detached := context.WithoutCancel(ctx)
	stopCtx, cancelStop := context.WithTimeout(detached, restartLimit)
	defer cancelStop()
	stopErr := r.Stop(stopCtx)
	startCtx, cancelStart := context.WithTimeout(detached, restartLimit)
	defer cancelStart()
	if err := errors.Join(stopErr, r.Start(startCtx)); err != nil {
		return err
	}
	return r.AwaitRunning(ctx, timeout)
}

// replicaPoll is the pause between looks at the replica status.
const replicaPoll = 250 * time.Millisecond

// AwaitRunning waits until all channels run; a *ReplicationStoppedError after the time-out.
func (r *Replica) AwaitRunning(ctx context.Context, timeout time.Duration) error {
	return r.await(ctx, timeout, func(status ReplicaStatus) progress {
		if status.Running() {
			return arrived
		}
		return underway
	})
}

// AwaitApplied waits until all that was fetched is applied. It comes after StopIOThread, and needs the SQL thread running;
// a *ReplicationStoppedError if that is not so, or after the time-out.
func (r *Replica) AwaitApplied(ctx context.Context, timeout time.Duration) error {
	return r.await(ctx, timeout, func(status ReplicaStatus) progress {
		switch {
		case status.Fetched.SmallerThanOrEquals(&status.Applied):
			return arrived
		case !status.sqlRuns():
			return hopeless
		default:
			return underway
		}
	})
}

// progress is how far a channel is on its way to an awaited state.
type progress uint8

const (
	underway progress = iota
	arrived
	hopeless // will not arrive by itself
)

func (r *Replica) await(ctx context.Context, timeout time.Duration, judge func(ReplicaStatus) progress) error {
	expired := time.NewTimer(timeout)
	defer expired.Stop()
	poll := time.NewTicker(replicaPoll)
	defer poll.Stop()
	for last := false; ; {
		statuses, err := r.Status(ctx)
		if err != nil {
			return err
		}
		arrivals := 0
		for _, status := range statuses {
			switch verdict := judge(status); {
			case verdict == arrived:
				arrivals++
			case verdict == hopeless || last:
				return &ReplicationStoppedError{Status: status}
			}
		}
		if arrivals == len(statuses) {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-expired.C:
			last = true // one look after the end, so that a slow server gets its full time
		case <-poll.C:
		}
	}
}

// AttachedReplicas returns the replicas that have registered with the server, by the addresses that they report; a
// replica without report_host has an empty one.
func (r *Replica) AttachedReplicas(ctx context.Context) ([]InstanceKey, error) {
	rows, err := readRows(ctx, r.db, r.dialect.ShowReplicas())
	if err != nil {
		return nil, fmt.Errorf("listing attached replicas: %w", err)
	}
	keys := make([]InstanceKey, 0, len(rows))
	for _, row := range rows {
		port, err := strconv.Atoi(row["Port"].String)
		if err != nil {
			return nil, fmt.Errorf("listing attached replicas: port of %s: %w", row["Host"].String, err)
		}
		keys = append(keys, InstanceKey{Hostname: row["Host"].String, Port: port})
	}
	return keys, nil
}
