package throttle

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

func TestAnOpenGateLetsPassAtOnce(t *testing.T) {
	require.NoError(t, NewGate().Wait(t.Context()))
}

func TestAnEndedContextPassesNoGate(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, NewGate().Wait(ctx), context.Canceled)
}

func TestWaitersWakeTheMomentTheGateOpens(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gate := NewGate()
		gate.set(closed(ThrottleFlagFile, "", "flag-file"))
		began := time.Now()
		passed := make(chan error, 3)
		for range 3 {
			go func() { passed <- gate.Wait(t.Context()) }()
		}

		time.Sleep(time.Hour)
		synctest.Wait()
		require.Empty(t, passed)
		gate.set(closed(Lag, "", "lag=2.000000s"))
		synctest.Wait()
		require.Empty(t, passed, "another reason is no opening")

		gate.set(open())
		for range 3 {
			require.NoError(t, <-passed)
		}
		require.Equal(t, time.Hour, time.Since(began), "in the bubble's time, waking took none")
	})
}

func TestAWaitEndsWithItsContext(t *testing.T) {
	gate := NewGate()
	gate.set(closed(ThrottleFlagFile, "", "flag-file"))
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	require.ErrorIs(t, gate.Wait(ctx), context.DeadlineExceeded)
}

func TestACriticalSectionIsNeverThrottled(t *testing.T) {
	gate := NewGate()
	gate.set(closed(ThrottleFlagFile, "", "flag-file"))

	restoreOuter := gate.Bypass()
	restoreInner := gate.Bypass()
	gate.set(closed(Lag, "", "lag=9.000000s"))
	require.NoError(t, gate.Wait(t.Context()))
	throttled, reason, hint := gate.State()
	require.False(t, throttled)
	require.Empty(t, reason)
	require.Equal(t, NoHint, hint)

	restoreInner()
	restoreInner()
	require.NoError(t, gate.Wait(t.Context()), "the outer section still runs, however often the inner one ends")

	restoreOuter()
	throttled, reason, _ = gate.State()
	require.True(t, throttled)
	require.Equal(t, "lag=9.000000s", reason, "the verdict of meanwhile is in force")
}

func TestACriticalSectionWakesThoseWhoWait(t *testing.T) {
	gate := NewGate()
	gate.set(closed(ThrottleFlagFile, "", "flag-file"))
	passed := make(chan error)
	go func() { passed <- gate.Wait(t.Context()) }()
	restore := gate.Bypass()
	defer restore()
	require.NoError(t, <-passed)
}
