package main

import "math"

func (o *options) cutOverFlags() []flagSpec {
	m := o.migration
	return []flagSpec{
		stringFlag(&o.cutOver, "cut-over", "atomic", "how to swap the tables: atomic (also called default), or two-step: one table after the other, readers held as well, and no table for a moment if the second step fails").offering("atomic", "two-step"),
		intFlag(&o.cutOverLockTimeoutSeconds, "cut-over-lock-timeout-seconds", 3, "seconds that an attempt may hold writers, 1 to 10"),
		intFlag(&m.CutOverForceAfterSeconds, "cut-over-force-after-seconds", 0, "end the sessions that have kept the cut-over from its lock for so many seconds; 0: wait for them").within(0, math.MaxInt64),
		boolFlag(&m.CutOverExponentialBackoff, "cut-over-exponential-backoff", false, "wait 1, 2, 4, 8… seconds between failed attempts instead of 1 each"),
		intFlag(&o.exponentialBackoffMaxInterval, "exponential-backoff-max-interval", 64, "most seconds of that wait, at least 2"),
		stringFlag(&m.PostponeCutOverFlagFile, "postpone-cut-over-flag-file", "", "do not cut over while this file exists; it is created at the start").file(),
		boolFlag(&m.ForceNamedCutOverCommand, "force-named-cut-over", false, "the interactive command to cut over must name the table"),
		boolFlag(&m.ForceNamedPanicCommand, "force-named-panic", false, "the interactive command to panic must name the table"),
		boolFlag(&m.SkipMetadataLockCheck, "skip-metadata-lock-check", false, "do without the server's metadata lock instrument when it is checked that the RENAME is queued"),
		boolFlag(&m.AllowSetupMetadataLockInstruments, "allow-setup-metadata-lock-instruments", false, "that instrument may be switched on in performance_schema"),
		boolFlag(&m.AnalyzeGhostTableBeforeCutOver, "analyze-ghost-table-before-cutover", false, "run ANALYZE TABLE on the new table before each attempt"),
	}
}
