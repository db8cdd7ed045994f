package status

import (
	"fmt"
	"time"
)

// DefaultBacklogCapacity is what the line shows as the backlog's capacity when the snapshot names none. Scripts compute the
// backlog's fill from the two numbers and expect this one.
const DefaultBacklogCapacity = 1000

// Snapshot is a migration at one moment: everything the status line tells.
type Snapshot struct {
	Progress

	EventsApplied   int64 // row events applied; an update that changes the key counts once
	Backlog         int   // events read and not yet applied
	BacklogCapacity int   // zero means DefaultBacklogCapacity

	Elapsed     time.Duration // since the run began
	CopyElapsed time.Duration // since the copy began: zero before it, frozen after it

	Coordinates  string        // the newest position read from the stream
	Lag          time.Duration // of the inspected server
	HeartbeatLag time.Duration // age of the newest heartbeat seen in the stream

	CountingRows    bool   // an exact count runs and the copy waits for it
	Checksum        string // how far the comparison of original and ghost is, in a few words; "" if there is none
	Postponing      bool   // the cut-over waits for the operator
	CutOverWaitsFor string // what else keeps the cut-over from its attempt, in a few words; "" if nothing
	Throttled       bool
	ThrottleReason  string // only if Throttled
	CriticalSection bool   // inside the cut-over's critical section, where throttling does not count

	ETA time.Duration // as the Estimator says; not looked at while postponing
}

// Line is the status line, without a line break.
func (s Snapshot) Line() string {
	return fmt.Sprintf("Copy: %d/%d %.1f%%; Applied: %d; Backlog: %d/%d; Time: %s(total), %s(copy); streamer: %s; Lag: %.2fs, HeartbeatLag: %.2fs, State: %s; ETA: %s",
		s.Copied, s.EffectiveEstimate(), s.Percentage(),
		s.EventsApplied,
		s.Backlog, s.backlogCapacity(),
		FormatDuration(s.Elapsed), FormatDuration(s.CopyElapsed),
		oneLine(s.Coordinates),
		s.Lag.Seconds(), s.HeartbeatLag.Seconds(),
		s.State(),
		FormatETA(s.EffectiveETA()),
	)
}

// State is the line's state field, which is also what the changelog keeps of it. The first that holds wins: counting rows,
// postponing, throttled, migrating. The progress of a checksum and what a cut-over waits for are told behind the state it waits in.
func (s Snapshot) State() string {
	switch {
	case s.CountingRows:
		return "counting rows"
	case s.Postponing:
		return s.withWait("postponing cut-over")
	case s.Throttled && !s.CriticalSection:
		return "throttled, " + oneLine(s.ThrottleReason)
	default:
		return s.withWait("migrating")
	}
}

func (s Snapshot) withWait(state string) string {
	if s.Checksum != "" {
		state += ", " + oneLine(s.Checksum)
	}
	if s.CutOverWaitsFor == "" {
		return state
	}
	return state + ", waiting for " + oneLine(s.CutOverWaitsFor)
}

// EffectiveETA is the time left: ETA, but zero (due) while the cut-over is postponed or all rows are copied. It is the
// number for hooks, too.
func (s Snapshot) EffectiveETA() time.Duration {
	if s.Postponing || s.Percentage() >= 100 {
		return 0
	}
	return s.ETA
}

func (s Snapshot) backlogCapacity() int {
	if s.BacklogCapacity == 0 {
		return DefaultBacklogCapacity
	}
	return s.BacklogCapacity
}
