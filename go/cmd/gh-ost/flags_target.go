package main

func (o *options) targetFlags() []flagSpec {
	m := o.migration
	return []flagSpec{
		stringFlag(&m.DatabaseName, "database", "", "schema of the table; may be left out where --alter names it"),
		stringFlag(&m.OriginalTableName, "table", "", "table to migrate, without its schema; may be left out where --alter names it"),
		stringFlag(&m.AlterStatement, "alter", "", "the change: what follows the table's name in ALTER TABLE, or the whole statement"),
		boolFlag(&o.execute, "execute", false, "really migrate. Without it everything is checked and the new table is built, but nothing is copied and nothing swapped"),
		boolFlag(&o.cleanup, "cleanup", false, "do not migrate: remove the helper tables that an earlier migration of the table has left, those that are proven to be such. Without --execute it says which; needs no --alter"),
		boolFlag(&m.AttemptInstantDDL, "attempt-instant-ddl", false, "try the change with ALGORITHM=INSTANT first; migrate if the server refuses"),
		boolFlag(&m.AttemptInplaceDDL, "attempt-inplace-ddl", false, "try the change with ALGORITHM=INPLACE, LOCK=NONE first if it changes the table's definition only: no row, no index; migrate if not. Needs PROCESS"),
		boolFlag(&m.ApproveRenamedColumns, "approve-renamed-columns", false, "the columns that --alter renames are meant to keep their data"),
		boolFlag(&m.SkipRenamedColumns, "skip-renamed-columns", false, "the columns that --alter renames are different ones: data is not carried over"),
		boolFlag(&m.NullableUniqueKeyAllowed, "allow-nullable-unique-key", false, "migrate by a unique key with nullable columns. Rows with NULL in it are lost: be sure that there are none"),
		boolFlag(&m.DiscardForeignKeys, "discard-foreign-keys", false, "the table has foreign keys to other tables; the new one shall have none"),
		boolFlag(&m.SkipForeignKeyChecks, "skip-foreign-key-checks", false, "do not look for foreign keys: be sure that there are none"),
		boolFlag(&m.IncludeTriggers, "include-triggers", false, "create the table's triggers on the new table; needs --trigger-suffix"),
		stringFlag(&m.TriggerSuffix, "trigger-suffix", "", "appended to the names of the new triggers: letters, digits and _; needs --include-triggers"),
		boolFlag(&m.RemoveTriggerSuffix, "remove-trigger-suffix-if-exists", false, "take the suffix off a trigger's name that ends in it already; needs --include-triggers and --trigger-suffix"),
		boolFlag(&m.SkipStrictMode, "skip-strict-mode", false, "do not add STRICT_ALL_TABLES to the sql_mode of the sessions that alter, copy and apply"),
		boolFlag(&m.AllowZeroInDate, "allow-zero-in-date", false, "accept dates with zeros: take NO_ZERO_IN_DATE and NO_ZERO_DATE out of that sql_mode"),
		stringFlag(&m.ForceTmpTableName, "force-table-names", "", "name the helper tables after this instead of after the table"),
		boolFlag(&m.TimestampOldTable, "timestamp-old-table", false, "put the time of the start into the old table's name"),
		stringFlag(&m.OldTableName, "old-table", "", "with --revert: the table that the earlier migration left"),
		boolFlag(&m.Revert, "revert", false, "undo an earlier migration that was checkpointed; needs --old-table"),
		boolFlag(&m.Checkpoint, "checkpoint", false, "write checkpoints, to resume from or to revert by"),
		intFlag(&m.CheckpointIntervalSeconds, "checkpoint-seconds", 300, "seconds between checkpoints, at least 10"),
		boolFlag(&m.Resume, "resume", false, "go on from the last checkpoint"),
	}
}
