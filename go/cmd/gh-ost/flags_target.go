package main

import "math"

func (o *options) targetFlags() []flagSpec {
	m := o.migration
	return []flagSpec{
		stringFlag(&m.DatabaseName, "database", "", "schema of the table; may be left out where --alter names it"),
		stringFlag(&m.OriginalTableName, "table", "", "table to migrate, without its schema; may be left out where --alter names it"),
		stringFlag(&m.AlterStatement, "alter", "", "the change: what follows the table's name in ALTER TABLE, or the whole statement"),
		boolFlag(&o.execute, "execute", false, "really migrate. Without it everything is checked and the new table is built, but nothing is copied and nothing swapped"),
		boolFlag(&m.AttemptInstantDDL, "attempt-instant-ddl", false, "try the change with ALGORITHM=INSTANT first; migrate if the server refuses").pending(),
		boolFlag(&m.ApproveRenamedColumns, "approve-renamed-columns", false, "the columns that --alter renames are meant to keep their data"),
		boolFlag(&m.SkipRenamedColumns, "skip-renamed-columns", false, "the columns that --alter renames are different ones: data is not carried over"),
		boolFlag(&m.NullableUniqueKeyAllowed, "allow-nullable-unique-key", false, "migrate by a unique key with nullable columns. Rows with NULL in it are lost: be sure that there are none"),
		boolFlag(&m.DiscardForeignKeys, "discard-foreign-keys", false, "the table has foreign keys to other tables; the new one shall have none"),
		boolFlag(&m.SkipForeignKeyChecks, "skip-foreign-key-checks", false, "do not look for foreign keys: be sure that there are none"),
		boolFlag(&m.IncludeTriggers, "include-triggers", false, "create the table's triggers on the new table; needs --trigger-suffix").pending(),
		stringFlag(&m.TriggerSuffix, "trigger-suffix", "", "appended to the names of the new triggers: letters, digits and _; needs --include-triggers").pending(),
		boolFlag(&m.RemoveTriggerSuffix, "remove-trigger-suffix-if-exists", false, "take the suffix off a trigger's name that ends in it already; needs --include-triggers and --trigger-suffix").pending(),
		boolFlag(&m.SkipStrictMode, "skip-strict-mode", false, "do not add STRICT_ALL_TABLES to the sql_mode of the sessions that alter, copy and apply"),
		boolFlag(&m.AllowZeroInDate, "allow-zero-in-date", false, "accept dates with zeros: take NO_ZERO_IN_DATE and NO_ZERO_DATE out of that sql_mode"),
		stringFlag(&m.ForceTmpTableName, "force-table-names", "", "name the helper tables after this instead of after the table"),
		boolFlag(&m.TimestampOldTable, "timestamp-old-table", false, "put the time of the start into the old table's name"),
		stringFlag(&m.OldTableName, "old-table", "", "with --revert: the table that the earlier migration left").pending(),
		boolFlag(&m.Revert, "revert", false, "undo an earlier migration that was checkpointed; needs --old-table").pending(),
		boolFlag(&m.Checkpoint, "checkpoint", false, "write checkpoints, to resume from or to revert by").pending(),
		intFlag(&m.CheckpointIntervalSeconds, "checkpoint-seconds", 300, "seconds between checkpoints, at least 10").pending(),
		boolFlag(&m.Resume, "resume", false, "go on from the last checkpoint").pending(),
	}
}

func (o *options) topologyFlags() []flagSpec {
	m := o.migration
	return []flagSpec{
		boolFlag(&m.AllowedRunningOnMaster, "allow-on-master", false, "the server given may be the primary: inspect, stream and migrate there"),
		boolFlag(&m.AllowedMasterMaster, "allow-master-master", false, "the servers may replicate from one another in a ring").pending(),
		boolFlag(&m.TestOnReplica, "test-on-replica", false, "try it on a replica: stop replication, swap the tables and swap them back").pending(),
		boolFlag(&m.TestOnReplicaSkipReplicaStop, "test-on-replica-skip-replica-stop", false, "leave stopping and starting replication to hooks; needs --test-on-replica").pending(),
		boolFlag(&m.MigrateOnReplica, "migrate-on-replica", false, "migrate on the replica itself and leave its primary alone").pending(),
		boolFlag(&m.IsTungsten, "tungsten", false, "the replica need not log what it replicates (Tungsten replication)").pending(),
		boolFlag(&m.AssumeRBR, "assume-rbr", false, "the server logs rows already: do not restart replication to make sure"),
		boolFlag(&m.SwitchToRowBinlogFormat, "switch-to-rbr", false, "set binlog_format=ROW on a server without replicas, and do not set it back").pending(),
		boolFlag(&m.InitiallyDropOldTable, "initially-drop-old-table", false, "drop a left-over old table at the start"),
		boolFlag(&m.InitiallyDropGhostTable, "initially-drop-ghost-table", false, "drop a left-over ghost table at the start"),
		boolFlag(&m.OkToDropTable, "ok-to-drop-table", false, "drop the old table at the end. On a busy server better do that later"),
		boolFlag(&m.PanicOnWarnings, "panic-on-warnings", false, "end at any warning of a statement that copies or applies").pending(),
		stringFlag(&m.PanicFlagFile, "panic-flag-file", "", "end at once, without cleaning up, when this file comes into being"),
	}
}

func (o *options) rowFlags() []flagSpec {
	m := o.migration
	return []flagSpec{
		intFlag(&o.chunkSize, "chunk-size", 1000, "rows in a copied chunk; kept within 10 and 100000"),
		intFlag(&o.dmlBatchSize, "dml-batch-size", 10, "most events applied in one transaction; kept within 1 and 1000"),
		intFlag(&o.defaultRetries, "default-retries", 60, "attempts at an operation that may be retried, the cut-over too"),
		floatFlag(&o.niceRatio, "nice-ratio", 0, "rest after each chunk for this multiple of the time it took; kept within 0 and 100"),
		boolFlag(&m.CountTableRows, "exact-rowcount", false, "count the rows instead of estimating them, to show the progress exactly").pending(),
		boolFlag(&m.ConcurrentCountTableRows, "concurrent-rowcount", true, "with --exact-rowcount: count while copying; false counts first").pending(),
		intFlag(&o.heartbeatIntervalMillis, "heartbeat-interval-millis", 100, "milliseconds between heartbeats, which measure the lag; kept within 100 and 1000"),
	}
}

func (o *options) throttlingFlags() []flagSpec {
	m := o.migration
	return []flagSpec{
		intFlag(&o.maxLagMillis, "max-lag-millis", 1500, "milliseconds of replication lag above which to throttle; at least 100"),
		stringFlag(&o.maxLoad, "max-load", "", "status variables and the values at which to throttle, such as Threads_running=100,Threads_connected=500"),
		stringFlag(&o.criticalLoad, "critical-load", "", "the same, for values at which to give up"),
		intFlag(&m.CriticalLoadIntervalMilliseconds, "critical-load-interval-millis", 0, "look a second time after so many milliseconds, and give up only if the load is still critical; 0: at once").within(0, math.MaxInt64),
		intFlag(&m.CriticalLoadHibernateSeconds, "critical-load-hibernate-seconds", 0, "stand still for so many seconds at a critical load instead of giving up; 0: give up").within(0, math.MaxInt64),
		stringFlag(&o.controlReplicas, "throttle-control-replicas", "", "replicas whose lag counts too: host[:port],…"),
		stringFlag(&o.throttleQuery, "throttle-query", "", "query run each second on the server that is changed; throttle while the number it gives is above 0"),
		stringFlag(&o.throttleHTTP, "throttle-http", "", "URL asked with HEAD; throttle unless it answers 200"),
		intFlag(&m.ThrottleHTTPIntervalMillis, "throttle-http-interval-millis", 100, "milliseconds between two such requests").within(1, math.MaxInt64),
		intFlag(&m.ThrottleHTTPTimeoutMillis, "throttle-http-timeout-millis", 1000, "milliseconds that such a request may take").within(1, math.MaxInt64),
		boolFlag(&o.ignoreHTTPErrors, "ignore-http-errors", false, "do not throttle when that URL cannot be reached"),
		stringFlag(&m.ThrottleFlagFile, "throttle-flag-file", "", "throttle while this file exists"),
		stringFlag(&m.ThrottleAdditionalFlagFile, "throttle-additional-flag-file", "/tmp/gh-ost.throttle", "throttle while this file exists; one file for all runs of a machine"),
		stringFlag(&o.replicationLagQuery, "replication-lag-query", "", "deprecated, without effect: the lag is measured by heartbeats"),
	}
}

func (o *options) cutOverFlags() []flagSpec {
	m := o.migration
	return []flagSpec{
		stringFlag(&o.cutOver, "cut-over", "atomic", "how to swap the tables: atomic (also called default), or two-step, during which the table is missing for a moment").pendingFor("two-step"),
		intFlag(&o.cutOverLockTimeoutSeconds, "cut-over-lock-timeout-seconds", 3, "seconds that an attempt may hold writers, 1 to 10"),
		intFlag(&m.CutOverForceAfterSeconds, "cut-over-force-after-seconds", 0, "end the sessions that have kept the cut-over from its lock for so many seconds; 0: wait for them").within(0, math.MaxInt64),
		boolFlag(&m.CutOverExponentialBackoff, "cut-over-exponential-backoff", false, "wait 1, 2, 4, 8… seconds between failed attempts instead of 1 each"),
		intFlag(&o.exponentialBackoffMaxInterval, "exponential-backoff-max-interval", 64, "most seconds of that wait, at least 2"),
		stringFlag(&m.PostponeCutOverFlagFile, "postpone-cut-over-flag-file", "", "do not cut over while this file exists; it is created at the start"),
		boolFlag(&m.ForceNamedCutOverCommand, "force-named-cut-over", false, "the interactive command to cut over must name the table"),
		boolFlag(&m.ForceNamedPanicCommand, "force-named-panic", false, "the interactive command to panic must name the table"),
		boolFlag(&m.SkipMetadataLockCheck, "skip-metadata-lock-check", false, "do without the server's metadata lock instrument when it is checked that the RENAME is queued").pending(),
		boolFlag(&m.AllowSetupMetadataLockInstruments, "allow-setup-metadata-lock-instruments", false, "that instrument may be switched on in performance_schema").pending(),
		boolFlag(&m.AnalyzeGhostTableBeforeCutOver, "analyze-ghost-table-before-cutover", false, "run ANALYZE TABLE on the new table before each attempt").pending(),
	}
}
