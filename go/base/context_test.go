package base

import (
	"context"
	"errors"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/github/gh-ost/go/mysql"
)

func TestContextsDifferByTheirUuid(t *testing.T) {
	assert.Regexp(t, `^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`, NewMigrationContext().Uuid)
	one, other := NewMigrationContext(), NewMigrationContext()
	assert.NotEqual(t, one.Uuid, other.Uuid)
}

func TestFirstAbortErrorStaysAndBecomesTheCause(t *testing.T) {
	c := NewMigrationContext()
	first := errors.New("first")
	require.NoError(t, c.GetContext().Err())
	c.SetAbortError(first)
	c.SetAbortError(errors.New("a consequence"))
	c.CancelContext()
	c.CancelContext()
	assert.Same(t, first, c.GetAbortError())
	assert.ErrorIs(t, c.GetContext().Err(), context.Canceled)
	assert.Same(t, first, context.Cause(c.GetContext()))
}

func TestSendEndsWithTheContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	channel := make(chan int, 1)
	require.NoError(t, SendWithContext(ctx, channel, 1))
	cancel()
	assert.ErrorIs(t, SendWithContext(ctx, channel, 2), context.Canceled)
	<-channel
	assert.ErrorIs(t, SendWithContext(ctx, channel, 3), context.Canceled, "although there is room")
}

func TestNothingIsThrottledInTheCriticalSection(t *testing.T) {
	c := NewMigrationContext()
	c.SetThrottled(true, "lag=2.000000s", NoThrottleReasonHint)
	throttled, reason, _ := c.IsThrottled()
	assert.True(t, throttled)
	assert.Equal(t, "lag=2.000000s", reason)
	c.SetInCutOverCriticalSection(true)
	throttled, _, _ = c.IsThrottled()
	assert.False(t, throttled)
}

func TestHibernationEndsAtItsMoment(t *testing.T) {
	c := NewMigrationContext()
	now := time.Now()
	c.HibernateUntil(now.Add(time.Minute))
	_, hibernates := c.HibernatesUntil(now)
	assert.True(t, hibernates)
	_, hibernates = c.HibernatesUntil(now.Add(time.Minute))
	assert.False(t, hibernates)
}

func TestUnknownTimeToGoStaysUnknownInSeconds(t *testing.T) {
	c := NewMigrationContext()
	assert.Equal(t, int64(ETAUnknown), c.GetETASeconds())
	c.SetETADuration(1999 * time.Millisecond)
	assert.Equal(t, int64(1), c.GetETASeconds())
	c.SetETADuration(-time.Second)
	assert.Equal(t, int64(0), c.GetETASeconds())
}

func TestCopyTimeIsZeroBeforeAndFixedAfterTheCopy(t *testing.T) {
	c := NewMigrationContext()
	assert.Zero(t, c.ElapsedTime())
	assert.Zero(t, c.ElapsedRowCopyTime())
	c.RowCopyStartTime = time.Now().Add(-time.Hour)
	assert.GreaterOrEqual(t, c.ElapsedRowCopyTime(), time.Hour)
	c.RowCopyEndTime = c.RowCopyStartTime.Add(time.Minute)
	assert.Equal(t, time.Minute, c.ElapsedRowCopyTime())
}

func TestRowsEstimateNeverFallsBelowZero(t *testing.T) {
	c := NewMigrationContext()
	c.SetRowsEstimate(10)
	c.AddRowsDelta(-3)
	assert.Equal(t, int64(7), c.GetTotalRowsEstimate())
	c.AddRowsDelta(-30)
	assert.Equal(t, int64(0), c.GetTotalRowsEstimate())
}

func TestIsolationDependsOnTheEngine(t *testing.T) {
	c := NewMigrationContext()
	for engine, isolation := range map[string]string{
		"rocksdb": mysql.ReadCommitted, "innodb": mysql.RepeatableRead, "RocksDB": mysql.RepeatableRead,
	} {
		require.NoError(t, c.SetConnectionConfig(engine))
		assert.Equal(t, isolation, c.InspectorConnectionConfig.TransactionIsolation, engine)
		assert.Equal(t, isolation, c.ApplierConnectionConfig.TransactionIsolation, engine)
	}
	c.SetConnectionCharset("")
	assert.Equal(t, "utf8mb4,utf8,latin1", c.ApplierConnectionConfig.Charset)
	c.ApplierConnectionConfig = nil
	assert.Error(t, c.SetConnectionConfig("innodb"))
}

func TestLoadListsAreReadAndWrittenSorted(t *testing.T) {
	loads, err := ParseLoadMap(" b = 2 ,a=-1")
	require.NoError(t, err)
	assert.Equal(t, LoadMap{"a": -1, "b": 2}, loads)
	assert.Equal(t, "a=-1,b=2", loads.String())
	empty, err := ParseLoadMap("")
	require.NoError(t, err)
	assert.Empty(t, empty.String())
	for _, bad := range []string{"a", "a=", "a=x", "=1", "a=1,", "a=1.5"} {
		_, err := ParseLoadMap(bad)
		assert.Error(t, err, bad)
	}
}

func TestCutOversAreReadByName(t *testing.T) {
	for name, wanted := range map[string]CutOver{"": CutOverAtomic, "default": CutOverAtomic, "atomic": CutOverAtomic, "two-step": CutOverTwoStep} {
		got, err := ParseCutOver(name)
		require.NoError(t, err)
		assert.Equal(t, wanted, got)
	}
	_, err := ParseCutOver("Atomic")
	assert.ErrorContains(t, err, "two-step")
}

func TestDurationsAreShownInWholeSeconds(t *testing.T) {
	for text, d := range map[string]time.Duration{
		"0s": 999 * time.Millisecond, "41s": 41*time.Second + 700*time.Millisecond, "2m5s": 125 * time.Second, "1h0m3s": 3603 * time.Second,
	} {
		assert.Equal(t, text, PrettifyDurationOutput(d))
	}
}

func TestAllSubstringsMustOccur(t *testing.T) {
	assert.True(t, StringContainsAll("GRANT SUPER ON *.*", "SUPER", " ON *.*", ""))
	assert.False(t, StringContainsAll("GRANT SUPER ON *.*", "SUPER", "REPLICATION"))
	assert.False(t, StringContainsAll("anything"))
	assert.False(t, StringContainsAll("anything", ""))
}

func TestTouchedFilesExistAndKeepTheirContent(t *testing.T) {
	path := filepath.Join(t.TempDir(), "flag")
	assert.False(t, FileExists(path))
	require.NoError(t, TouchFile(path))
	require.NoError(t, TouchFile(path))
	assert.True(t, FileExists(path))
	assert.Error(t, TouchFile(filepath.Join(path, "below-a-file")))
}
