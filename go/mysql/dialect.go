package mysql

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// MysqlVersionCutoff is the first MySQL version that has lost the terms master and slave altogether.
const MysqlVersionCutoff = "8.4"

// Dialect says how to speak to a server: statements, columns and variables whose spelling depends on product and
// version. All such knowledge is here, asked for by name. The zero value speaks to the oldest MySQL.
type Dialect struct {
	mariaDB bool
	version [3]int
	text    string
}

// NewDialect returns the dialect of a server that reports these values as @@version and @@version_comment; the comment
// may be empty. A version that cannot be read counts as the oldest.
func NewDialect(version, versionComment string) Dialect {
	d := Dialect{mariaDB: IsMariaDB(version) || IsMariaDB(versionComment), text: version}
	if d.mariaDB {
		// MariaDB puts an old MySQL version in front of its own where a replica's handshake reads it.
		version = strings.TrimPrefix(version, "5.5.5-")
	}
	d.version = parseVersion(version)
	return d
}

var versionPattern = regexp.MustCompile(`^(\d+)\.(\d+)(?:\.(\d+))?`)

func parseVersion(text string) (version [3]int) {
	for i, digits := range versionPattern.FindStringSubmatch(strings.TrimSpace(text)) {
		if i > 0 && digits != "" {
			version[i-1], _ = strconv.Atoi(digits) // digits by the pattern; an absurd length counts as very new
		}
	}
	return version
}

// atLeast tells whether this is MySQL of that version or later. It is false for any MariaDB.
func (d Dialect) atLeast(major, minor, patch int) bool {
	return !d.mariaDB && !versionLess(d.version, [3]int{major, minor, patch})
}

// mariaAtLeast is atLeast for MariaDB.
func (d Dialect) mariaAtLeast(major, minor, patch int) bool {
	return d.mariaDB && !versionLess(d.version, [3]int{major, minor, patch})
}

func versionLess(a, b [3]int) bool {
	for i := range a {
		if a[i] != b[i] {
			return a[i] < b[i]
		}
	}
	return false
}

// Version returns the version as the server reports it.
func (d Dialect) Version() string { return d.text }

// String names product and version, such as "MariaDB 10.11.6".
func (d Dialect) String() string {
	product := "MySQL"
	if d.mariaDB {
		product = "MariaDB"
	}
	return fmt.Sprintf("%s %d.%d.%d", product, d.version[0], d.version[1], d.version[2])
}

// IsMariaDB tells MariaDB from MySQL.
func (d Dialect) IsMariaDB() bool { return d.mariaDB }

// Flavor returns MySQLFlavor or MariaDBFlavor, as the replication library wants it.
func (d Dialect) Flavor() string {
	if d.mariaDB {
		return MariaDBFlavor
	}
	return MySQLFlavor
}

// SharedLockClause ends a SELECT that shares row locks.
func (d Dialect) SharedLockClause() string {
	if d.atLeast(8, 0, 0) {
		return "FOR SHARE"
	}
	return "LOCK IN SHARE MODE"
}

// SharedLockNoWaitClause is SharedLockClause for a SELECT that fails where it would have to wait; "" if the server
// knows no such thing.
func (d Dialect) SharedLockNoWaitClause() string {
	if d.atLeast(8, 0, 1) || d.mariaAtLeast(10, 3, 0) {
		return d.SharedLockClause() + " NOWAIT"
	}
	return ""
}

// Explain begins an EXPLAIN whose result is the table with a "rows" column, whatever @@explain_format says; a blank and
// the statement follow.
func (d Dialect) Explain() string {
	if d.mariaDB {
		return "EXPLAIN /* gh-ost */" // has no other default
	}
	return "EXPLAIN /* gh-ost */ FORMAT=TRADITIONAL"
}

// HasGTIDMode tells whether transaction ids have to be switched on (@@gtid_mode, @@enforce_gtid_consistency); MariaDB
// always has them.
func (d Dialect) HasGTIDMode() bool { return !d.mariaDB }

// GTIDExecuted is an expression for the transactions in the server's binary log so far: where a stream starts "now".
func (d Dialect) GTIDExecuted() string {
	if d.mariaDB {
		// Not gtid_current_pos: without log_slave_updates that has transactions which are not in this binary log.
		return "@@GLOBAL.gtid_binlog_pos"
	}
	return "@@GLOBAL.gtid_executed"
}

// HasRoles tells whether an account's rights may come by way of roles.
func (d Dialect) HasRoles() bool { return d.atLeast(8, 0, 0) || d.mariaAtLeast(10, 0, 5) }

// CachesTableStatistics tells whether information_schema shows table figures, such as the next AUTO_INCREMENT value, as
// they were a while ago unless the session sets information_schema_stats_expiry = 0.
func (d Dialect) CachesTableStatistics() bool { return d.atLeast(8, 0, 0) }

// AcceptsZeroLockWaitTimeout tells whether lock_wait_timeout = 0 means not to wait at all; MySQL takes it for 1 second.
func (d Dialect) AcceptsZeroLockWaitTimeout() bool { return d.mariaAtLeast(10, 3, 0) }

// A MetadataLockSource is a table that shows who holds and awaits metadata locks.
type MetadataLockSource string

const (
	// PerformanceSchemaMetadataLocks has GRANTED and PENDING locks by thread. It shows them while the instrument
	// wait/lock/metadata/sql/mdl is on.
	PerformanceSchemaMetadataLocks MetadataLockSource = "performance_schema.metadata_locks"
	// MetadataLockInfoPlugin has granted locks only, by connection. It is there if the plugin of that name is installed.
	MetadataLockInfoPlugin MetadataLockSource = "information_schema.METADATA_LOCK_INFO"
)

// MetadataLockSources returns the tables that a server of this kind may have, the best first. Whether they can be read,
// and show anything, is up to the server's settings and the account.
func (d Dialect) MetadataLockSources() []MetadataLockSource {
	switch {
	case d.atLeast(5, 7, 0):
		return []MetadataLockSource{PerformanceSchemaMetadataLocks}
	case d.mariaAtLeast(10, 5, 2):
		return []MetadataLockSource{PerformanceSchemaMetadataLocks, MetadataLockInfoPlugin}
	case d.mariaDB:
		return []MetadataLockSource{MetadataLockInfoPlugin}
	default:
		return nil
	}
}

// ProcesslistTables returns the tables that list sessions, the one to ask first in front: performance_schema's does not
// stop other sessions while it is read, but is empty where performance_schema is off.
func (d Dialect) ProcesslistTables() []string {
	if d.atLeast(8, 0, 22) {
		return []string{"performance_schema.processlist", "information_schema.processlist"}
	}
	return []string{"information_schema.processlist"}
}

// FlavorFor returns the replication library's name for the family of a server that reports this @@version.
func FlavorFor(mysqlVersion string) string { return NewDialect(mysqlVersion, "").Flavor() }

// IsMariaDB tells whether a text that a server reports of itself (@@version or @@version_comment) is MariaDB's.
func IsMariaDB(mysqlVersion string) bool {
	return strings.Contains(strings.ToLower(mysqlVersion), "mariadb")
}

// TakesOffsets is true of a server that takes a moment as text that ends in its offset from UTC: MySQL since 8.0.19.
func (d Dialect) TakesOffsets() bool { return d.atLeast(8, 0, 19) }

// HasFunctionalKeys is true of a server whose information_schema.statistics tells the expressions in keys.
func (d Dialect) HasFunctionalKeys() bool { return d.atLeast(8, 0, 13) }

// HasCheckConstraints is true of a server whose information_schema tells the checks of a table.
func (d Dialect) HasCheckConstraints() bool { return d.atLeast(8, 0, 16) || d.mariaAtLeast(10, 3, 10) }
