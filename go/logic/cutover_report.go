package logic

import (
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/github/gh-ost/go/logic/cutover"
)

// CutOverReport tells, phase by phase, how one cut-over attempt went. It is safe for concurrent use.
type CutOverReport struct {
	mutex   sync.Mutex
	attempt int64
	started time.Time
	gate    time.Duration // waited before anything was locked
	phases  []reportedPhase
	current cutover.Phase
	since   time.Time

	lockedAt, releasedAt time.Time // writers are held in between
	swapBegan, ended     time.Time // readers are held from the former at most
	readersLocked        bool      // they are held for as long as writers
	outcome              string
	reason               string
}

type reportedPhase struct {
	phase cutover.Phase
	took  time.Duration
}

func newCutOverReport(attempt int64, gate time.Duration, now time.Time) *CutOverReport {
	return &CutOverReport{attempt: attempt, gate: gate, started: now, since: now}
}

// enter notes that the attempt went to another phase.
func (r *CutOverReport) enter(phase cutover.Phase, holding bool) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	now := time.Now()
	if r.current != cutover.Idle {
		r.phases = append(r.phases, reportedPhase{r.current, now.Sub(r.since)})
	}
	r.current, r.since = phase, now
	switch {
	case phase == cutover.Draining:
		r.lockedAt = now
	case !r.lockedAt.IsZero() && r.releasedAt.IsZero() && !holding:
		r.releasedAt = now
	}
	if phase == cutover.Dropping {
		r.swapBegan = now
	}
	if phase == cutover.Done {
		r.ended = now
	}
}

// conclude notes how the attempt ended, and why if it did not swap.
func (r *CutOverReport) conclude(outcome cutover.Outcome, err error) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	r.outcome = outcome.String()
	if err != nil {
		r.reason = err.Error()
	}
}

// WritersHeld is how long writers were held: from the granted lock to its release, or to the swap where it took place.
func (r *CutOverReport) WritersHeld() time.Duration {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	return r.writersHeld()
}

func (r *CutOverReport) writersHeld() time.Duration {
	switch {
	case r.lockedAt.IsZero():
		return 0
	case r.outcome == cutover.Swapped.String():
		return r.ended.Sub(r.lockedAt)
	case r.releasedAt.IsZero():
		return r.ended.Sub(r.lockedAt)
	}
	return r.releasedAt.Sub(r.lockedAt)
}

// holdReaders notes that the lock holds readers too.
func (r *CutOverReport) holdReaders() {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	r.readersLocked = true
}

// ReadersHeld is the longest that a reader can have waited: from the sentry's drop, when RENAME goes on, to the swap;
// or for as long as writers, where the lock had to be one that holds both.
func (r *CutOverReport) ReadersHeld() time.Duration {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	return r.readersHeld()
}

func (r *CutOverReport) readersHeld() time.Duration {
	switch {
	case r.readersLocked:
		return r.writersHeld()
	case r.swapBegan.IsZero():
		return 0
	}
	return r.ended.Sub(r.swapBegan)
}

// phaseLabels names the phases of the report in the order of a successful attempt; others follow as they came.
func (r *CutOverReport) phaseTexts() []string {
	texts := []string{"gate=" + millis(r.gate)}
	for _, p := range r.phases {
		texts = append(texts, p.phase.String()+"="+millis(p.took))
	}
	return texts
}

func millis(d time.Duration) string {
	return fmt.Sprintf("%.1fms", float64(d)/float64(time.Millisecond))
}

// Lines is the report for people and for scripts: the first line is always there, with name=value pairs.
func (r *CutOverReport) Lines() []string {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	lines := []string{
		fmt.Sprintf("Cut-over report: attempt=%d outcome=%q writers-held=%s readers-held=%s", r.attempt, r.outcome, millis(r.writersHeld()), millis(r.readersHeld())),
		"Cut-over phases: " + strings.Join(r.phaseTexts(), " "),
	}
	if r.reason != "" {
		lines = append(lines, "Cut-over reason: "+r.reason)
	}
	return lines
}

// Environment is the report as variables for hooks.
func (r *CutOverReport) Environment() []string {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	variables := []string{
		fmt.Sprintf("GH_OST_CUT_OVER_ATTEMPT=%d", r.attempt),
		"GH_OST_CUT_OVER_OUTCOME=" + r.outcome,
		"GH_OST_CUT_OVER_REASON=" + r.reason,
		fmt.Sprintf("GH_OST_CUT_OVER_WRITERS_HELD_MILLIS=%.1f", float64(r.writersHeld())/float64(time.Millisecond)),
		fmt.Sprintf("GH_OST_CUT_OVER_READERS_HELD_MILLIS=%.1f", float64(r.readersHeld())/float64(time.Millisecond)),
		fmt.Sprintf("GH_OST_CUT_OVER_GATE_MILLIS=%.1f", float64(r.gate)/float64(time.Millisecond)),
	}
	for _, p := range r.phases {
		name := strings.ToUpper(strings.ReplaceAll(p.phase.String(), "-", "_"))
		variables = append(variables, fmt.Sprintf("GH_OST_CUT_OVER_%s_MILLIS=%.1f", name, float64(p.took)/float64(time.Millisecond)))
	}
	return variables
}
