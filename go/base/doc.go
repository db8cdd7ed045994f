// Package base holds what a migration is told to do and what it tells about itself.
//
// MigrationContext is the one value that the command line or an embedding program fills in. It is put together from
// small structs, one for each concern and each in a file of its own; their fields and methods are promoted, so
// ctx.DatabaseName works, while a component is handed only the part it needs, such as &ctx.LiveSettings.
//
// Three kinds of state live here, and they are not mixed:
//
//   - Configuration is plain fields. It is written before the run starts and never after, so reading it needs no lock.
//   - Live settings are what an operator may change while the migration runs (LiveSettings). They are private, behind
//     getters and setters that are safe for concurrent use and that keep values inside their documented ranges.
//   - Progress is what is counted and measured (Progress, ThrottleState). Fields that embedding programs read directly
//     stay plain int64 for their sake: touch them through sync/atomic or the typed methods only.
//
// The package relies on package mysql for connection settings and on package sql for column lists; it sends no statement
// of its own.
//
// Scars:
//
//   - Helper table names used to be cut at 64 bytes, which can tear a character apart, and long tables that share a
//     beginning got one another's helper tables. Names are cut between characters now, and HelperLockNames gives the
//     locks that keep two runs from sharing a helper table.
//   - Messages used to pass through Sprintf twice, so that a "%" in an error came out mangled.
package base
