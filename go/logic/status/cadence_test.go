package status

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// printedSeconds runs one tick a second over the given seconds of a run and returns those that printed a line.
func printedSeconds(from, to int, eta, sincePointOfInterest time.Duration) []int {
	cadence := Cadence{started: true, last: int64(from - 1)}
	printed := []int{}
	for second := from; second <= to; second++ {
		if cadence.Tick(time.Duration(second)*time.Second, eta, sincePointOfInterest).Line {
			printed = append(printed, second)
		}
	}
	return printed
}

func TestTheLongerARunTheFewerLines(t *testing.T) {
	const long, never = time.Hour, time.Hour
	for name, c := range map[string]struct {
		from, to  int
		eta, seen time.Duration
		want      []int
	}{
		"every second of the first minute":   {57, 66, long, never, []int{57, 58, 59, 60, 65}},
		"by five until the third minute":     {171, 221, long, never, []int{175, 180, 210}},
		"by thirty later":                    {400, 470, long, never, []int{420, 450}},
		"every second near the end":          {400, 403, time.Minute, never, []int{400, 401, 402, 403}},
		"every second when due":              {400, 402, 0, never, []int{400, 401, 402}},
		"every second when unknown":          {400, 402, ETAUnknown, never, []int{400, 401, 402}},
		"by five three minutes from the end": {400, 411, 3 * time.Minute, never, []int{400, 405, 410}},
		"by five after a point of interest":  {401, 411, long, 59 * time.Second, []int{405, 410}},
		"by thirty a minute after it":        {401, 430, long, time.Minute, []int{420}},
	} {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, c.want, printedSeconds(c.from, c.to, c.eta, c.seen))
		})
	}
}

func TestALateTickMakesUpForTheSecondItMissed(t *testing.T) {
	var cadence Cadence
	cadence.Tick(419*time.Second+990*time.Millisecond, time.Hour, time.Hour)
	require.True(t, cadence.Tick(421*time.Second+10*time.Millisecond, time.Hour, time.Hour).Line)
	require.False(t, cadence.Tick(422*time.Second, time.Hour, time.Hour).Line)
}

func TestASecondIsNotPrintedTwice(t *testing.T) {
	var cadence Cadence
	require.True(t, cadence.Tick(5*time.Second, ETAUnknown, 0).Line)
	require.False(t, cadence.Tick(5*time.Second+900*time.Millisecond, ETAUnknown, 0).Line)
}

func TestHintsComeAtTheStartAndEveryTenMinutes(t *testing.T) {
	var cadence Cadence
	require.Equal(t, Due{Line: true, Hints: true}, cadence.Tick(10*time.Millisecond, time.Hour, time.Hour))
	require.Equal(t, Due{Line: true}, cadence.Tick(time.Second, time.Hour, time.Hour))

	cadence.Tick(599*time.Second, time.Hour, time.Hour)
	require.Equal(t, Due{Line: true, Hints: true}, cadence.Tick(601*time.Second, time.Hour, time.Hour), "one second was missed")

	require.True(t, HintsDue(0))
	require.True(t, HintsDue(600*time.Second+999*time.Millisecond))
	require.False(t, HintsDue(601*time.Second))
}
