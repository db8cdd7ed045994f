package base

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func contextFor(table string) *MigrationContext {
	c := NewMigrationContext()
	c.DatabaseName = "shop"
	c.OriginalTableName = table
	return c
}

func TestHelperTablesAreNamedAfterTheTable(t *testing.T) {
	c := contextFor("orders")
	assert.Equal(t, "_orders_gho", c.GetGhostTableName())
	assert.Equal(t, "_orders_del", c.GetOldTableName())
	assert.Equal(t, "_orders_ghc", c.GetChangelogTableName())
	assert.Equal(t, "_orders_ghk", c.GetCheckpointTableName())
	assert.NoError(t, c.ValidateTableNames())
}

func TestForcedNameReplacesTheTablesNameInAllOfThem(t *testing.T) {
	c := contextFor("orders")
	c.ForceTmpTableName = "tmp"
	assert.Equal(t, []string{"_tmp_gho", "_tmp_del", "_tmp_ghc", "_tmp_ghk"}, c.helperTables())
}

func TestRevertTurnsTheOldTableIntoTheGhost(t *testing.T) {
	c := contextFor("orders")
	c.Revert = true
	c.OldTableName = "_orders_del"
	assert.Equal(t, "_orders_del", c.GetGhostTableName())
	assert.Equal(t, "_orders_rev_del", c.GetOldTableName())
}

func TestOldTableBearsTheTimeOfTheStart(t *testing.T) {
	c := contextFor("orders")
	c.TimestampOldTable = true
	c.StartTime = time.Date(2026, 11, 30, 3, 4, 5, 0, time.Local)
	assert.Equal(t, "_orders_20261130030405_del", c.GetOldTableName())
	c.Revert = true
	assert.Equal(t, "_orders_20261130030405_rev_del", c.GetOldTableName())
}

func TestLongNamesLoseCharactersAtTheirEnd(t *testing.T) {
	name := strings.Repeat("t", 64)
	c := contextFor(name)
	assert.Equal(t, "_"+name[:59]+"_gho", c.GetGhostTableName())
	c.TimestampOldTable = true
	c.MarkStart()
	assert.True(t, strings.HasPrefix(c.GetOldTableName(), "_"+name[:44]+"_2"))
	assert.Len(t, c.GetOldTableName(), 64)
}

func TestHelperNamesFitAndKeepWholeCharacters(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		base := rapid.StringN(1, 64, -1).Draw(t, "table")
		suffix := rapid.SampledFrom([]string{"gho", "del", "rev_del", "20261130030405_rev_del"}).Draw(t, "suffix")
		name := helperTableName(base, suffix)
		if !utf8.ValidString(name) || utf8.RuneCountInString(name) > 64 {
			t.Fatalf("%q is torn or too long", name)
		}
		kept := strings.TrimSuffix(strings.TrimPrefix(name, "_"), "_"+suffix)
		if !strings.HasPrefix(base, kept) {
			t.Fatalf("%q does not keep the beginning of %q", name, base)
		}
		if kept != base && utf8.RuneCountInString(name) != 64 {
			t.Fatalf("%q was cut by more than needed", name)
		}
	})
}

func TestTablesWhoseHelpersCoincideShareALock(t *testing.T) {
	prefix := strings.Repeat("t", 60)
	first, second, other := contextFor(prefix+"one"), contextFor(prefix+"two"), contextFor("orders")
	require.Equal(t, first.GetGhostTableName(), second.GetGhostTableName())
	assert.Equal(t, first.HelperLockNames(), second.HelperLockNames())
	for _, lock := range other.HelperLockNames() {
		assert.NotContains(t, first.HelperLockNames(), lock)
		assert.LessOrEqual(t, len(lock), 64)
	}
}

func TestTablesWhoseOldTablesAloneCoincideShareALockToo(t *testing.T) {
	prefix := strings.Repeat("t", 50)
	first, second := contextFor(prefix+"one"), contextFor(prefix+"two")
	for _, c := range []*MigrationContext{first, second} {
		c.TimestampOldTable = true
		c.StartTime = time.Date(2026, 11, 30, 3, 4, 5, 0, time.Local)
	}
	require.NotEqual(t, first.GetGhostTableName(), second.GetGhostTableName())
	shared := 0
	for _, lock := range first.HelperLockNames() {
		for _, otherLock := range second.HelperLockNames() {
			if lock == otherLock {
				shared++
			}
		}
	}
	assert.Equal(t, 1, shared)
}

func TestNamesThatCollideWithinOneMigrationAreRefused(t *testing.T) {
	forced := contextFor("_a_GHO")
	forced.ForceTmpTableName = "a"
	assert.ErrorContains(t, forced.ValidateTableNames(), "_a_gho")

	reverting := contextFor("orders")
	reverting.Revert = true
	reverting.OldTableName = "orders"
	assert.ErrorContains(t, reverting.ValidateTableNames(), "--old-table")
}

func TestMigrationLockIsTheOneThatOtherVersionsAskFor(t *testing.T) {
	assert.Equal(t, "gh-ost::shop.orders", contextFor("orders").GetMigrationLockName())
	assert.Equal(t, "shop.orders.lock", contextFor("orders").GetVoluntaryLockName())
	long := contextFor(strings.Repeat("t", 64)).GetMigrationLockName()
	assert.Regexp(t, `^gh-ost::[0-9a-f]{40}$`, long)
}

func TestLocksAreTheSameInAnyCaseWhereTheServerIgnoresThat(t *testing.T) {
	for _, name := range []string{"Orders", strings.Repeat("Orders", 10)} {
		upper, lower := contextFor(strings.ToUpper(name)), contextFor(strings.ToLower(name))
		assert.NotEqual(t, lower.GetMigrationLockName(), upper.GetMigrationLockName())
		upper.IgnoresNameCase, lower.IgnoresNameCase = true, true
		assert.Equal(t, lower.GetMigrationLockName(), upper.GetMigrationLockName())
		assert.Equal(t, lower.HelperLockNames(), upper.HelperLockNames())
	}
}

func TestTriggerNamesGainOrLoseTheSuffix(t *testing.T) {
	triggers := TriggerSettings{TriggerSuffix: "_v2"}
	assert.Equal(t, "audit_v2", triggers.GetGhostTriggerName("audit"))
	assert.Equal(t, "audit_v2_v2", triggers.GetGhostTriggerName("audit_v2"))
	triggers.RemoveTriggerSuffix = true
	assert.Equal(t, "audit", triggers.GetGhostTriggerName("audit_v2"))
	assert.Equal(t, "audit_v2", triggers.GetGhostTriggerName("audit"))
}

func TestOldTablesAreKnownByTheirNamesWhateverTheTimeInThem(t *testing.T) {
	for _, table := range []string{"orders", "o.r(d)e%r_s", strings.Repeat("ä", 64)} {
		c := contextFor(table)
		for _, revert := range []bool{false, true} {
			for _, timed := range []bool{false, true} {
				run := contextFor(table)
				run.Revert, run.TimestampOldTable = revert, timed
				run.MarkStart()
				name := run.GetOldTableName()
				assert.True(t, c.IsOldTableName(name, false), name)
				assert.False(t, c.IsOldTableName("x"+name, false))
				assert.False(t, c.IsOldTableName(name+"x", false))
				assert.Contains(t, run.HelperLockNames(), c.HelperLockName(name))
			}
		}
		assert.False(t, c.IsOldTableName(c.GetGhostTableName(), false))
	}
	c := contextFor("orders")
	assert.False(t, c.IsOldTableName("_ORDERS_del", false))
	assert.True(t, c.IsOldTableName("_ORDERS_del", true))
}
