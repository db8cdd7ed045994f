package base

import "github.com/github/gh-ost/go/sql"

// Discovered is what the migration finds out about tables and servers before it copies. Each field is written once, by the
// inspection, before the parts that read it start.
type Discovered struct {
	// TableEngine is the original's storage engine.
	TableEngine string
	// InspectorMySQLVersion and ApplierMySQLVersion are the versions that the servers report.
	InspectorMySQLVersion string
	ApplierMySQLVersion   string
	// OriginalBinlogFormat is the inspected server's binlog_format.
	OriginalBinlogFormat string
	// UniqueKey is the key that the copy walks along and by which events are applied.
	UniqueKey *sql.UniqueKey
	// SharedColumns are the original's columns that have a counterpart, MappedSharedColumns these counterparts, in the same order.
	SharedColumns       *sql.ColumnList
	MappedSharedColumns *sql.ColumnList
	// ColumnRenameMap leads from old to new names, DroppedColumnsMap holds the names of dropped columns.
	ColumnRenameMap   map[string]string
	DroppedColumnsMap map[string]bool
	// MigrationRangeMin and MigrationRangeMax are the key values of the first and the last row to copy. Nil: no rows.
	MigrationRangeMin []any
	MigrationRangeMax []any
}

// HasMigrationRange tells whether there are rows to copy.
func (d *Discovered) HasMigrationRange() bool {
	return d.MigrationRangeMin != nil && d.MigrationRangeMax != nil
}
