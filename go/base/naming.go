package base

import (
	"crypto/sha1" //nolint:gosec // a name, not a secret: other versions of the tool must come to the same one
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/github/gh-ost/go/mysql"
)

// The endings of the helper tables' names.
const (
	ghostSuffix      = "gho"
	oldSuffix        = "del"
	changelogSuffix  = "ghc"
	checkpointSuffix = "ghk"
	revertedSuffix   = "rev_del"

	timestampInName = "20060102150405"

	// maxLockNameLength is the server's limit for a named lock. It counts characters; the names count bytes against it,
	// so that every version of the tool asks for the same lock.
	maxLockNameLength = 64
)

// helperTableName gives _base_suffix. If that is longer than a table name may be, base loses characters at its end. So
// long tables that share their beginning have helper tables of the same name: HelperLockNames keeps them apart.
func helperTableName(base, suffix string) string {
	room := mysql.MaxTableNameLength - utf8.RuneCountInString("__"+suffix)
	return "_" + firstCharacters(base, room) + "_" + suffix
}

func firstCharacters(text string, count int) string {
	for i := range text {
		if count == 0 {
			return text[:i]
		}
		count--
	}
	return text
}

// helperBase is what the names of the helper tables are built around.
func (t *TargetSettings) helperBase() string {
	if t.ForceTmpTableName != "" {
		return t.ForceTmpTableName
	}
	return t.OriginalTableName
}

// GetGhostTableName is the name of the table that becomes the new one; when reverting, it is the old table given.
func (c *MigrationContext) GetGhostTableName() string {
	if c.Revert {
		return c.OldTableName
	}
	return helperTableName(c.helperBase(), ghostSuffix)
}

// GetOldTableName is the name that the original gets, and of the sentry table during the cut-over. With TimestampOldTable it
// holds the time of the run's start, so it is fixed only from then on.
func (c *MigrationContext) GetOldTableName() string {
	suffix := oldSuffix
	if c.Revert && !c.revertsRevert() {
		suffix = revertedSuffix
	}
	if c.TimestampOldTable {
		suffix = c.GetStartTime().Format(timestampInName) + "_" + suffix
	}
	return helperTableName(c.helperBase(), suffix)
}

// revertsRevert tells whether the old table given is the one that a revert has left: the name that it frees is not the one to
// take, but that of the table which the revert took back.
func (c *MigrationContext) revertsRevert() bool {
	return strings.EqualFold(c.OldTableName, helperTableName(c.helperBase(), revertedSuffix))
}

// GetChangelogTableName is the name of the table for heartbeats and states.
func (c *MigrationContext) GetChangelogTableName() string {
	return helperTableName(c.helperBase(), changelogSuffix)
}

// GetCheckpointTableName is the name of the table for checkpoints.
func (c *MigrationContext) GetCheckpointTableName() string {
	return helperTableName(c.helperBase(), checkpointSuffix)
}

// GetVoluntaryLockName is <schema>.<table>.lock.
func (t *TargetSettings) GetVoluntaryLockName() string {
	return t.DatabaseName + "." + t.OriginalTableName + ".lock"
}

// GetMigrationLockName is the named lock that the one run for a table holds.
func (t *TargetSettings) GetMigrationLockName() string {
	return t.lockName(t.OriginalTableName)
}

// HelperLockNames are the named locks, in the order to take them, for the helper tables. Names cut for their length, or
// forced ones, can make the helper tables of two originals coincide; a run that does not get one of these locks would
// drop or fill the tables of another and must not start.
func (c *MigrationContext) HelperLockNames() []string {
	var names []string
	for _, table := range c.helperTables() {
		names = append(names, c.lockName(table))
	}
	slices.Sort(names)
	return slices.Compact(names)
}

func (t *TargetSettings) lockName(table string) string {
	const prefix = "gh-ost::"
	name := t.DatabaseName + "." + table
	if t.IgnoresNameCase {
		name = strings.ToLower(name)
	}
	name = prefix + name
	if len(name) > maxLockNameLength {
		digest := sha1.Sum([]byte(name)) //nolint:gosec // see the import
		return prefix + hex.EncodeToString(digest[:])
	}
	return name
}

func (c *MigrationContext) helperTables() []string {
	return []string{c.GetGhostTableName(), c.GetOldTableName(), c.GetChangelogTableName(), c.GetCheckpointTableName()}
}

// ValidateTableNames returns an error if a helper table would have the name of the original, or of another helper table;
// forced names and the old table of a revert can bring that about. Case is ignored, as some servers ignore it.
func (c *MigrationContext) ValidateTableNames() error {
	taken := map[string]bool{strings.ToLower(c.OriginalTableName): true}
	for _, name := range c.helperTables() {
		if taken[strings.ToLower(name)] {
			return fmt.Errorf("helper table %s.%s would have the name of another table of this migration: "+
				"give other --force-table-names, or another --old-table when reverting", c.DatabaseName, name)
		}
		taken[strings.ToLower(name)] = true
	}
	return nil
}
