package base

// TargetSettings names the table to migrate and the change to make to it.
type TargetSettings struct {
	// DatabaseName is the schema of the table.
	DatabaseName string
	// OriginalTableName is the table to migrate, without its schema.
	OriginalTableName string
	// AlterStatement is the change as the user gave it: ALTER options, or a whole ALTER TABLE statement.
	AlterStatement string
	// AlterStatementOptions is the part of AlterStatement behind the table's name, which is what gets executed.
	AlterStatementOptions string
	// OldTableName is, when reverting, the table that an earlier migration left behind. Empty otherwise.
	OldTableName string
	// ForceTmpTableName replaces the table's name in the names of all helper tables. Empty: the table's own name.
	ForceTmpTableName string
	// IgnoresNameCase is true where the server takes names that differ in their case for one table. It is known once the
	// server is; the named locks are asked for afterwards.
	IgnoresNameCase bool
}
