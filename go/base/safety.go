package base

// SafetySettings says what the migration may accept, pass over or remove.
type SafetySettings struct {
	// SkipForeignKeyChecks does not look for foreign keys at all.
	SkipForeignKeyChecks bool
	// DiscardForeignKeys accepts that the new table loses the foreign keys that the original has as a child.
	DiscardForeignKeys bool
	// NullableUniqueKeyAllowed accepts a chosen unique key with nullable columns, on the user's word that they hold no NULL.
	NullableUniqueKeyAllowed bool
	// ApproveRenamedColumns confirms the column renames found in the ALTER: data is carried over.
	ApproveRenamedColumns bool
	// SkipRenamedColumns declares renames found in the ALTER to be unrelated columns: data is not carried over.
	SkipRenamedColumns bool
	// SkipStrictMode does not add STRICT_ALL_TABLES to the sql_mode of the sessions that alter, copy and apply.
	SkipStrictMode bool
	// AllowZeroInDate removes NO_ZERO_IN_DATE and NO_ZERO_DATE from that sql_mode.
	AllowZeroInDate bool
	// PanicOnWarnings ends the migration when a copying or applying statement raises a warning.
	PanicOnWarnings bool
	// Checksum compares the ghost table with the original, and swaps only if they agree.
	Checksum bool
	// OkToDropTable drops the old table once the migration has succeeded.
	OkToDropTable bool
	// InitiallyDropOldTable and InitiallyDropGhostTable drop what an earlier run may have left, before starting.
	InitiallyDropOldTable   bool
	InitiallyDropGhostTable bool
	// TimestampOldTable puts the time of the run's start into the old table's name.
	TimestampOldTable bool
	// SkipMetadataLockCheck does without the server's metadata-lock instrument when it is proven that RENAME is queued.
	SkipMetadataLockCheck bool
	// AllowSetupMetadataLockInstruments permits switching that instrument on.
	AllowSetupMetadataLockInstruments bool
	// AnalyzeGhostTableBeforeCutOver runs ANALYZE TABLE on the ghost table before each cut-over attempt.
	AnalyzeGhostTableBeforeCutOver bool
}
