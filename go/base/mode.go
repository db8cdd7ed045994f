package base

// ModeSettings says what kind of run this is and in which kind of topology it takes place.
type ModeSettings struct {
	// Noop is a dry run: everything is checked and the ghost table is built, but no row is copied and nothing is swapped.
	Noop bool
	// TestOnReplica migrates a replica, swaps the tables and swaps them back, with replication stopped.
	TestOnReplica bool
	// TestOnReplicaSkipReplicaStop leaves stopping and starting replication to hooks. Only with TestOnReplica.
	TestOnReplicaSkipReplicaStop bool
	// MigrateOnReplica migrates a replica itself and not its primary; the swap is kept.
	MigrateOnReplica bool
	// AllowedRunningOnMaster permits inspecting and migrating on one and the same primary.
	AllowedRunningOnMaster bool
	// AllowedMasterMaster tolerates a replication cycle when the primary is looked for.
	AllowedMasterMaster bool
	// IsTungsten tolerates a replica that does not log what it replicates.
	IsTungsten bool
	// SwitchToRowBinlogFormat permits setting binlog_format=ROW on a server that has no replicas.
	SwitchToRowBinlogFormat bool
	// AssumeRBR keeps replication from being restarted to make the ROW format effective.
	AssumeRBR bool
	// AttemptInstantDDL tries the change with ALGORITHM=INSTANT on the original table first.
	AttemptInstantDDL bool
	// AttemptInplaceDDL tries the change with ALGORITHM=INPLACE, LOCK=NONE on the original table first, but only if the server
	// shows with an empty table that it changes definitions and neither rebuilds the table nor builds an index.
	AttemptInplaceDDL bool
	// Resume goes on from the last checkpoint of an interrupted run.
	Resume bool
	// Revert undoes an earlier migration that has been checkpointed.
	Revert bool
	// Checkpoint writes checkpoints while the migration runs.
	Checkpoint bool
	// CheckpointIntervalSeconds is the time between checkpoints, in seconds, at least MinCheckpointIntervalSeconds.
	CheckpointIntervalSeconds int64
}

// MinCheckpointIntervalSeconds is the shortest time between checkpoints that is accepted.
const MinCheckpointIntervalSeconds = 10

// IsOnReplica tells whether the replica itself is migrated, to test or to keep.
func (m *ModeSettings) IsOnReplica() bool {
	return m.TestOnReplica || m.MigrateOnReplica
}
