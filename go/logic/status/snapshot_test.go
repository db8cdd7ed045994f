package status

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// midway is a migration in full swing; the cases below change what they are about.
func midway() Snapshot {
	return Snapshot{
		Progress:        Progress{Copied: 12000, Estimate: 48000},
		EventsApplied:   731,
		Backlog:         17,
		BacklogCapacity: 1000,
		Elapsed:         2*time.Minute + 5*time.Second + 900*time.Millisecond,
		CopyElapsed:     41 * time.Second,
		Coordinates:     "mysql-bin.000007:1234",
		Lag:             40 * time.Millisecond,
		HeartbeatLag:    116 * time.Millisecond,
		ETA:             2*time.Minute + 3*time.Second,
	}
}

func TestTheStatusLineFollowsItsTemplateToTheLetter(t *testing.T) {
	cases := map[string]struct {
		given func(*Snapshot)
		want  string
	}{
		"in full swing": {
			func(*Snapshot) {},
			"Copy: 12000/48000 25.0%; Applied: 731; Backlog: 17/1000; Time: 2m5s(total), 41s(copy); streamer: mysql-bin.000007:1234; Lag: 0.04s, HeartbeatLag: 0.12s, State: migrating; ETA: 2m3s",
		},
		"before the copy, nothing known": {
			func(s *Snapshot) { *s = Snapshot{CountingRows: true, ETA: ETAUnknown} },
			"Copy: 0/0 100.0%; Applied: 0; Backlog: 0/1000; Time: 0s(total), 0s(copy); streamer: ; Lag: 0.00s, HeartbeatLag: 0.00s, State: counting rows; ETA: due",
		},
		"too early to tell": {
			func(s *Snapshot) { s.Copied, s.ETA = 10, ETAUnknown },
			"Copy: 10/48000 0.0%; Applied: 731; Backlog: 17/1000; Time: 2m5s(total), 41s(copy); streamer: mysql-bin.000007:1234; Lag: 0.04s, HeartbeatLag: 0.12s, State: migrating; ETA: N/A",
		},
		"more copied than estimated": {
			func(s *Snapshot) { s.Copied = 50400 },
			"Copy: 50400/48000 105.0%; Applied: 731; Backlog: 17/1000; Time: 2m5s(total), 41s(copy); streamer: mysql-bin.000007:1234; Lag: 0.04s, HeartbeatLag: 0.12s, State: migrating; ETA: due",
		},
		"complete, and postponed": {
			func(s *Snapshot) { s.Complete, s.Postponing, s.Elapsed = true, true, time.Hour+3*time.Second },
			"Copy: 12000/12000 100.0%; Applied: 731; Backlog: 17/1000; Time: 1h0m3s(total), 41s(copy); streamer: mysql-bin.000007:1234; Lag: 0.04s, HeartbeatLag: 0.12s, State: postponing cut-over; ETA: due",
		},
		"throttled, with a line break in a server's error": {
			func(s *Snapshot) {
				s.Throttled, s.ThrottleReason = true, "Threads_running Error 1105:\nout of luck"
				s.Lag = 75*time.Second + 5*time.Millisecond
			},
			"Copy: 12000/48000 25.0%; Applied: 731; Backlog: 17/1000; Time: 2m5s(total), 41s(copy); streamer: mysql-bin.000007:1234; Lag: 75.00s, HeartbeatLag: 0.12s, State: throttled, Threads_running Error 1105: out of luck; ETA: 2m3s",
		},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			snapshot := midway()
			c.given(&snapshot)
			require.Equal(t, c.want, snapshot.Line())
		})
	}
}

func TestTheFirstStateThatHoldsWins(t *testing.T) {
	all := Snapshot{CountingRows: true, Postponing: true, Throttled: true, ThrottleReason: "flag-file"}
	require.Equal(t, "counting rows", all.State())
	all.CountingRows = false
	require.Equal(t, "postponing cut-over", all.State())
	all.Postponing = false
	require.Equal(t, "throttled, flag-file", all.State())
	all.CriticalSection = true
	require.Equal(t, "migrating", all.State(), "throttling does not count in the critical section")
}

func TestTheStateTellsWhatACutOverWaitsFor(t *testing.T) {
	waiting := Snapshot{CutOverWaitsFor: "a transaction on the table, 93s old"}
	require.Equal(t, "migrating, waiting for a transaction on the table, 93s old", waiting.State())
	waiting.Postponing = true
	require.Equal(t, "postponing cut-over, waiting for a transaction on the table, 93s old", waiting.State())
}

func TestTheStateTellsHowFarAChecksumIs(t *testing.T) {
	compared := Snapshot{Checksum: "checksum 42%"}
	require.Equal(t, "migrating, checksum 42%", compared.State())
	compared.Postponing, compared.CutOverWaitsFor = true, "the lag"
	require.Equal(t, "postponing cut-over, checksum 42%, waiting for the lag", compared.State())
}

func TestDurationsLoseTheirFraction(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0:                                   "0s",
		999 * time.Millisecond:              "0s",
		41*time.Second + 999999*1000:        "41s",
		2*time.Minute + 5*time.Second:       "2m5s",
		time.Hour + 3*time.Second:           "1h0m3s",
		49*time.Hour + 59*time.Second + 1e6: "49h0m59s",
	} {
		require.Equal(t, want, FormatDuration(d))
	}
}
