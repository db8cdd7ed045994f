package base

import (
	"regexp"
	"strings"
)

// IsOldTableName tells whether a migration of this table, or its revert, would give the original that name, or a sentry: with
// the time of any run's start in it, or without. ignoreCase: as servers do that keep no case of table names.
func (c *MigrationContext) IsOldTableName(name string, ignoreCase bool) bool {
	flags := ""
	if ignoreCase {
		flags = "(?i)"
	}
	for _, suffix := range []string{oldSuffix, revertedSuffix} {
		plain := helperTableName(c.helperBase(), suffix)
		timed := timestampInName + "_" + suffix
		beforeTime := strings.TrimSuffix(helperTableName(c.helperBase(), timed), timed)
		expression := flags + "^(?:" + regexp.QuoteMeta(plain) + "|" + regexp.QuoteMeta(beforeTime) + "[0-9]{14}_" + suffix + ")$"
		if regexp.MustCompile(expression).MatchString(name) {
			return true
		}
	}
	return false
}

// HelperLockName is the named lock that a run holds for a helper table of that name.
func (t *TargetSettings) HelperLockName(table string) string { return t.lockName(table) }
