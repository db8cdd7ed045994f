package status

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// copySteadily feeds one observation a second, for so many seconds after from, at a rate in rows per second.
func copySteadily(e *Estimator, from observation, seconds int, rate, estimate int64) observation {
	for range seconds {
		from = observation{copied: from.copied + rate, elapsed: from.elapsed + time.Second}
		e.Observe(Progress{Copied: from.copied, Estimate: estimate}, from.elapsed)
	}
	return from
}

func TestASteadyRateIsKnownFromTheFirstSecond(t *testing.T) {
	var e Estimator
	require.Equal(t, ETAUnknown, e.ETA())
	e.Observe(Progress{Estimate: 100_000}, 0)

	copySteadily(&e, observation{}, 1, 1000, 100_000)
	require.Equal(t, 99*time.Second, e.ETA())
	require.InDelta(t, 1000, e.RowsPerSecond(), 0.001)
}

func TestTheETAIsUnknownBelowATenthOfAPercentAndDueFromTheEstimateOn(t *testing.T) {
	for name, c := range map[string]struct {
		progress Progress
		want     time.Duration
		text     string
	}{
		"below a tenth of a percent": {Progress{Copied: 999, Estimate: 1_000_000}, ETAUnknown, "N/A"},
		"at a tenth":                 {Progress{Copied: 1000, Estimate: 1_000_000}, 999 * time.Second, "16m39s"},
		"less than a second is left": {Progress{Copied: 1000, Estimate: 1001}, 0, "due"},
		"at the estimate":            {Progress{Copied: 1000, Estimate: 1000}, 0, "due"},
		"beyond it":                  {Progress{Copied: 1000, Estimate: 10}, 0, "due"},
		"nothing expected":           {Progress{}, 0, "due"},
		"complete below it":          {Progress{Copied: 1000, Estimate: 9999, Complete: true}, 0, "due"},
		"complete and empty":         {Progress{Estimate: 50, Complete: true}, 0, "due"},
		"nothing copied at all":      {Progress{Copied: 0, Estimate: 50}, ETAUnknown, "N/A"},
	} {
		t.Run(name, func(t *testing.T) {
			var e Estimator
			e.Observe(Progress{Estimate: c.progress.Estimate}, 0)
			require.Equal(t, c.want, e.Observe(c.progress, time.Second))
			require.Equal(t, c.text, FormatETA(e.ETA()))
		})
	}
}

func TestOneSlowSecondDoesNotSwingTheETA(t *testing.T) {
	var e Estimator
	e.Observe(Progress{Estimate: 1_000_000}, 0)
	at := copySteadily(&e, observation{}, 60, 1000, 1_000_000)
	before := e.ETA()

	copySteadily(&e, at, 1, 100, 1_000_000)
	require.InDelta(t, before.Seconds(), e.ETA().Seconds(), 0.1*before.Seconds())
}

func TestTheETAFollowsALastingChangeWithinAMinute(t *testing.T) {
	var e Estimator
	e.Observe(Progress{Estimate: 1_000_000}, 0)
	at := copySteadily(&e, observation{}, 60, 1000, 1_000_000)

	at = copySteadily(&e, at, 60, 100, 1_000_000)
	require.InDelta(t, float64(1_000_000-at.copied)/100, e.ETA().Seconds(), 0.15*float64(1_000_000-at.copied)/100)
}

func TestALongPauseFallsBackOnTheAverageOfTheWholeCopy(t *testing.T) {
	var e Estimator
	e.Observe(Progress{Estimate: 100_000}, 0)
	at := copySteadily(&e, observation{}, 50, 1000, 100_000)

	at = copySteadily(&e, at, 3600, 0, 100_000)
	average := 50_000 / at.elapsed.Seconds()
	require.InDelta(t, 50_000/average, e.ETA().Seconds(), 1)
}

func TestWhatACheckpointHeldIsNoProgressOfThisRun(t *testing.T) {
	var e Estimator
	e.Observe(Progress{Copied: 900_000, Estimate: 1_000_000}, 0)
	at := copySteadily(&e, observation{copied: 900_000}, 10, 10, 1_000_000)
	copySteadily(&e, at, 30, 0, 1_000_000)
	require.Less(t, e.RowsPerSecond(), 11.0)
}

func TestATimeLeftBeyondReckoningIsUnknown(t *testing.T) {
	var e Estimator
	e.Observe(Progress{Copied: math.MaxInt64 / 100, Estimate: math.MaxInt64}, 0)
	require.Equal(t, ETAUnknown, e.Observe(Progress{Copied: math.MaxInt64/100 + 1, Estimate: math.MaxInt64}, time.Second))
}

func TestUnknownSecondsAreTheLeastInteger(t *testing.T) {
	require.Equal(t, int64(math.MinInt64), ETASeconds(ETAUnknown))
	require.Equal(t, int64(123), ETASeconds(123*time.Second+999*time.Millisecond))
	require.Zero(t, ETASeconds(-time.Second))
}

func TestWhateverIsObservedTheETAIsUnknownOrAWholeNonNegativeSecond(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var e Estimator
		var at observation
		estimate := rapid.Int64Range(0, 1<<50).Draw(t, "estimate")
		for range rapid.IntRange(1, 30).Draw(t, "ticks") {
			at.elapsed += time.Duration(rapid.Int64Range(0, int64(5*time.Second)).Draw(t, "span"))
			at.copied += rapid.Int64Range(0, 1<<40).Draw(t, "rows")
			eta := e.Observe(Progress{Copied: at.copied, Estimate: estimate}, at.elapsed)
			if eta == ETAUnknown {
				continue
			}
			if eta < 0 || eta%time.Second != 0 {
				t.Fatalf("ETA is %v", eta)
			}
			if at.copied >= estimate && eta != 0 {
				t.Fatalf("ETA is %v although all is copied", eta)
			}
		}
	})
}
