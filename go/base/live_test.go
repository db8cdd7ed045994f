package base

import (
	"math"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/github/gh-ost/go/mysql"
)

func TestSettersKeepValuesInTheirRanges(t *testing.T) {
	c := NewMigrationContext()
	for _, setting := range []struct {
		name          string
		set           func(int64)
		get           func() int64
		initial       int64
		low, lowest   int64
		high, highest int64
	}{
		{"chunk size", c.SetChunkSize, c.GetChunkSize, 1000, -5, 10, 1 << 40, 100_000},
		{"batch size", c.SetDMLBatchSize, c.GetDMLBatchSize, 10, 0, 1, 1001, 1000},
		{"max lag", c.SetMaxLagMillisecondsThrottleThreshold, c.GetMaxLagMillisecondsThrottleThreshold, 1500, 99, 100, 1 << 40, 1 << 40},
		{"heartbeat", c.SetHeartbeatIntervalMilliseconds, c.GetHeartbeatIntervalMilliseconds, 100, 0, 100, 5000, 1000},
		{"retries", c.SetDefaultNumRetries, c.MaxRetries, 60, 0, 60, 7, 7},
	} {
		assert.Equal(t, setting.initial, setting.get(), setting.name)
		setting.set(setting.low)
		assert.Equal(t, setting.lowest, setting.get(), setting.name)
		setting.set(setting.high)
		assert.Equal(t, setting.highest, setting.get(), setting.name)
	}
}

func TestNiceRatioIsANumberFromZeroToAHundred(t *testing.T) {
	c := NewMigrationContext()
	for given, kept := range map[float64]float64{-1: 0, 0.5: 0.5, 1e9: 100, math.Inf(1): 100} {
		c.SetNiceRatio(given)
		assert.InDelta(t, kept, c.GetNiceRatio(), 0)
	}
	c.SetNiceRatio(math.NaN())
	assert.Zero(t, c.GetNiceRatio())
}

func TestCutOverLimitsAreRefusedAndLeftAsTheyWere(t *testing.T) {
	c := NewMigrationContext()
	for _, seconds := range []int64{0, 11} {
		assert.ErrorContains(t, c.SetCutOverLockTimeoutSeconds(seconds), "cut-over-lock-timeout-seconds")
	}
	assert.Equal(t, 3*time.Second, c.CutOverLockTimeout())
	assert.ErrorContains(t, c.SetExponentialBackoffMaxInterval(1), "exponential-backoff-max-interval")
	assert.Equal(t, int64(64), c.ExponentialBackoffMaxInterval)
	require.NoError(t, c.SetCutOverLockTimeoutSeconds(10))
	assert.Equal(t, 10*time.Second, c.CutOverLockTimeout())
}

func TestBadListsKeepTheOldOnes(t *testing.T) {
	c := NewMigrationContext()
	require.NoError(t, c.ReadMaxLoad("Threads_running=30,Threads_connected=500"))
	require.Error(t, c.ReadMaxLoad("Threads_running"))
	assert.Equal(t, "Threads_connected=500,Threads_running=30", c.GetMaxLoad().String())

	require.NoError(t, c.ReadThrottleControlReplicaKeys("one:3307,two"))
	require.NoError(t, c.AddThrottleControlReplicaKey(mysql.InstanceKey{Hostname: "three", Port: 3306}))
	require.Error(t, c.AddThrottleControlReplicaKey(mysql.InstanceKey{}))
	assert.Equal(t, 3, c.GetThrottleControlReplicaKeys().Len())
	require.NoError(t, c.ReadThrottleControlReplicaKeys(""))
	assert.Equal(t, 0, c.GetThrottleControlReplicaKeys().Len())
}

func TestReadersGetCopies(t *testing.T) {
	c := NewMigrationContext()
	c.GetMaxLoad()["Threads_running"] = 1
	c.GetThrottleControlReplicaKeys().AddKey(mysql.InstanceKey{Hostname: "x", Port: 1})
	assert.Empty(t, c.GetMaxLoad())
	assert.Equal(t, 0, c.GetThrottleControlReplicaKeys().Len())
}

func TestPostponeFileNamedLaterReplacesTheOneFromTheStart(t *testing.T) {
	c := NewMigrationContext()
	c.PostponeCutOverFlagFile = "/from/the/start"
	assert.Equal(t, "/from/the/start", c.GetPostponeCutOverFlagFile())
	c.SetPostponeCutOverFlagFile("/later")
	assert.Equal(t, "/later", c.GetPostponeCutOverFlagFile())
}

func TestUnpostponeRequestStandsUntilItIsWithdrawn(t *testing.T) {
	c := NewMigrationContext()
	_, stands := c.UnpostponeRequested()
	require.False(t, stands)

	moment := time.Now()
	c.RequestUnpostpone(moment)
	at, stands := c.UnpostponeRequested()
	assert.True(t, stands)
	assert.Equal(t, moment, at)

	c.WithdrawUnpostpone()
	_, stands = c.UnpostponeRequested()
	assert.False(t, stands)
}

func TestLiveSettingsMayBeUsedFromAllSides(t *testing.T) {
	c := NewMigrationContext()
	var everyone sync.WaitGroup
	for range 4 {
		everyone.Go(func() {
			for i := range int64(200) {
				c.SetChunkSize(i)
				c.SetNiceRatio(float64(i))
				_ = c.ReadMaxLoad("Threads_running=1")
				c.SetThrottleHTTP("http://x")
				c.SetPostponeCutOverFlagFile("/f")
				c.SetThrottled(i%2 == 0, "reason", NoThrottleReasonHint)
				c.SetThrottleCommandedByUser(i%2 == 0)
				c.AddRowsCopied(1)
				c.MarkPointOfInterest()
				c.MarkRowCopyStartTime()
				_, _, _ = c.IsThrottled()
				_, _ = c.GetMaxLoad().String(), c.GetNiceRatio()
				_, _ = c.GetThrottleHTTP(), c.GetPostponeCutOverFlagFile()
				_, _ = c.ElapsedRowCopyTime(), c.TimeSinceLastHeartbeatOnChangelog()
			}
		})
	}
	everyone.Wait()
	assert.Equal(t, int64(800), c.GetTotalRowsCopied())
}
