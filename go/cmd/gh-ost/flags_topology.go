package main

func (o *options) topologyFlags() []flagSpec {
	m := o.migration
	return []flagSpec{
		boolFlag(&m.AllowedRunningOnMaster, "allow-on-master", false, "the server given may be the primary: inspect, stream and migrate there"),
		boolFlag(&m.AllowedMasterMaster, "allow-master-master", false, "the servers may replicate from one another in a ring"),
		boolFlag(&m.TestOnReplica, "test-on-replica", false, "try it on a replica: stop replication, swap the tables and swap them back"),
		boolFlag(&m.TestOnReplicaSkipReplicaStop, "test-on-replica-skip-replica-stop", false, "leave stopping and starting replication to hooks; needs --test-on-replica"),
		boolFlag(&m.MigrateOnReplica, "migrate-on-replica", false, "migrate on the replica itself and leave its primary alone"),
		boolFlag(&m.IsTungsten, "tungsten", false, "the replica need not log what it replicates (Tungsten replication)"),
		boolFlag(&m.AssumeRBR, "assume-rbr", false, "the server logs rows already: do not restart replication to make sure"),
		boolFlag(&m.SwitchToRowBinlogFormat, "switch-to-rbr", false, "set binlog_format=ROW on a server without replicas, and do not set it back"),
		boolFlag(&m.InitiallyDropOldTable, "initially-drop-old-table", false, "drop a left-over old table at the start"),
		boolFlag(&m.InitiallyDropGhostTable, "initially-drop-ghost-table", false, "drop a left-over ghost table at the start"),
		boolFlag(&m.OkToDropTable, "ok-to-drop-table", false, "drop the old table at the end. On a busy server better do that later"),
		boolFlag(&m.PanicOnWarnings, "panic-on-warnings", false, "end at any warning of a statement that copies or applies"),
		stringFlag(&m.PanicFlagFile, "panic-flag-file", "", "end at once, without cleaning up, when this file comes into being").file(),
	}
}
