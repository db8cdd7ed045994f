package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"time"

	"github.com/github/gh-ost/go/internal/ledger"
)

// kinds of cut-overs that are measured
const (
	successful = "successful"
	timedOut   = "timed out"
)

const (
	// windowMargin is added at both ends of an attempt: its log lines reach us a little later than what they tell.
	windowMargin = 50 * time.Millisecond

	// trialLimit ends a migration of which no more than a cut-over is left.
	trialLimit = 5 * time.Minute

	// spareTrials is how many trials more than wanted are made for those that do not count, in proportion.
	spareTrials = 2
)

// cutOvers measures how long clients wait at cut-overs.
type cutOvers struct {
	*server
	out         io.Writer
	contenders  []contender
	rows        int
	wanted      map[string]int // trials of each kind
	lockTimeout int
	pause       time.Duration
}

func cutOverCommand(ctx context.Context, arguments []string, stdout, stderr io.Writer) error {
	flags, settings := newFlags("cutover", stderr)
	b := &cutOvers{out: stdout}
	flags.IntVar(&b.rows, "rows", 10_000, "`number` of rows of the table")
	successes := flags.Int("successes", 20, "`number` of successful cut-overs of each contender")
	timeouts := flags.Int("timeouts", 10, "`number` of timed-out attempts of each contender")
	flags.IntVar(&b.lockTimeout, "lock-timeout", 3, "`seconds` that an attempt may hold the lock")
	flags.DurationVar(&b.pause, "pause", restOfPaced, "`time` that each client rests after a transaction")
	if err := parse(flags, arguments); err != nil {
		return err
	}
	if b.rows < 100 || *successes < 0 || *timeouts < 0 || b.lockTimeout < 1 || b.lockTimeout > 10 || b.pause <= 0 {
		return fmt.Errorf("%w: --rows must be at least 100, --successes and --timeouts not negative, --lock-timeout 1 to 10, --pause above 0", errUsage)
	}
	b.wanted = map[string]int{successful: *successes, timedOut: *timeouts}
	var err error
	if b.contenders, err = settings.contenders(); err != nil {
		return err
	}
	if b.server, err = connect(ctx, settings); err != nil {
		return err
	}
	defer b.db.Close()
	return b.measure(ctx)
}

// measure returns an error if one of our own trials does not count for another reason than that nothing timed out.
func (b *cutOvers) measure(ctx context.Context) error {
	results := cutOverResults{header: b.header(b.contenders, b.rows), LockTimeout: float64(b.lockTimeout)}
	name := "cutover-" + b.flavor
	var failures []error
	for _, kind := range []string{successful, timedOut} {
		counted := map[string]int{}
		for round := 0; round < b.wanted[kind]*spareTrials && !b.enough(kind, counted); round++ {
			for _, c := range rotated(b.contenders, round) {
				if counted[c.name] >= b.wanted[kind] {
					continue
				}
				s := b.trial(ctx, c, kind, round+1)
				if ctx.Err() != nil {
					return ctx.Err()
				}
				b.say("%s", describeCutOver(s))
				if s.Counts {
					counted[c.name]++
				} else if c.name == ours && s.Problem != errNotProvoked.Error() {
					failures = append(failures, fmt.Errorf("%s, round %d: %s", kind, s.Round, s.Problem))
				}
				results.Runs = append(results.Runs, s)
				results.Ended = time.Now().UTC().Truncate(time.Second)
				if _, err := write(b.settings.out, name, results); err != nil {
					return err
				}
			}
		}
		if counted[ours] < b.wanted[kind] {
			failures = append(failures, fmt.Errorf("only %d of %d %s cut-overs count", counted[ours], b.wanted[kind], kind))
		}
	}
	fmt.Fprintln(b.out)
	for _, t := range cutOverTables(results) {
		t.writeText(b.out)
	}
	b.say("the results are in %s", filepath.Join(b.settings.out, name+".json"))
	return errors.Join(failures...)
}

func (b *cutOvers) enough(kind string, counted map[string]int) bool {
	for _, c := range b.contenders {
		if counted[c.name] < b.wanted[kind] {
			return false
		}
	}
	return true
}

// trial is one migration of a small table under load, with the clients' waits in the window of the attempt.
func (b *cutOvers) trial(ctx context.Context, c contender, kind string, round int) cutOverSample {
	s := cutOverSample{Kind: kind, Contender: c.name, Round: round}
	err := b.dropTables(ctx, benchTable)
	if err == nil {
		err = b.measureTrial(ctx, c, &s)
	}
	s.Counts = err == nil
	if err != nil {
		s.Problem = err.Error()
	}
	cleanUp, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Minute)
	defer cancel()
	if err := b.dropTables(cleanUp, benchTable); err != nil && s.Counts {
		s.Counts, s.Problem = false, err.Error()
	}
	return s
}

func (b *cutOvers) measureTrial(ctx context.Context, c contender, s *cutOverSample) error {
	l := ledger.New(b.db, benchTable, ledger.Options{Rows: b.rows, Writers: 8, Readers: 4, Pause: b.pause, Seed: uint64(s.Round), StatementTimeout: clientTimeout})
	if err := l.Create(ctx); err != nil {
		return err
	}
	blocker := &blocker{server: b.server, timeout: time.Duration(b.lockTimeout) * time.Second}
	if s.Kind == timedOut {
		if err := blocker.prepare(ctx); err != nil {
			return err
		}
		defer blocker.close()
	}
	load, stop := context.WithCancel(ctx)
	defer stop()
	ended := make(chan error, 1)
	go func() { ended <- l.Run(load) }()
	err := b.migrate(ctx, c, s, l, blocker)
	stop()
	if err := errors.Join(err, <-ended); err != nil {
		return err
	}
	if s.Kind == timedOut {
		if err := blocker.removeRow(ctx); err != nil {
			return err
		}
	}
	report, err := l.Verify(ctx, nil, benchTable)
	if err != nil {
		return err
	}
	return errors.Join(report.Err(), l.Stats().Err())
}

func (b *cutOvers) migrate(ctx context.Context, c contender, s *cutOverSample, l *ledger.Ledger, blocker *blocker) error {
	if err := rest(ctx, time.Second); err != nil {
		return err
	}
	name := fmt.Sprintf("%s-cutover-%s-%s-%d", b.flavor, map[string]string{successful: "success", timedOut: "timeout"}[s.Kind], c.name, s.Round)
	t, err := b.start(ctx, c, benchTable, change, name, "--postpone-cut-over-flag-file="+folderMark+"/postpone",
		fmt.Sprintf("--cut-over-lock-timeout-seconds=%d", b.lockTimeout))
	if err != nil {
		return err
	}
	defer t.stop()
	limited, cancel := context.WithTimeout(ctx, trialLimit)
	defer cancel()
	if _, err := t.log.await(limited, markCopied); err != nil {
		return err
	}
	if err := rest(limited, time.Second); err != nil { // of load on a migrated table, which the cut-over waits for as people do
		return err
	}
	blocked := make(chan error, 1)
	if s.Kind == timedOut {
		go func() { blocked <- blocker.block(limited, t) }()
	} else {
		blocked <- nil
	}
	if err := os.Remove(t.path("postpone")); err != nil {
		return fmt.Errorf("letting the cut-over go on: %w", err)
	}
	err = errors.Join(t.wait(trialLimit), <-blocked)
	return errors.Join(err, measureWindow(s, attempts(t.log.sightings()), t, l))
}

// measureWindow takes the longest waits around the cut-over: of the first attempt if it was to time out, else of all.
func measureWindow(s *cutOverSample, found []attempt, t *tool, l *ledger.Ledger) error {
	s.Attempts = len(found)
	if len(found) == 0 {
		return errors.New("no attempt was seen in the log")
	}
	from, to := found[0].from, found[len(found)-1].to
	if s.Kind == timedOut {
		if !found[0].timedOut {
			return errNotProvoked
		}
		to = found[0].to
	} else if !found[len(found)-1].swapped {
		return errors.New("no swap was seen in the log")
	}
	from, to = from.Add(-windowMargin), to.Add(windowMargin)
	s.Window = milliseconds(to.Sub(from))
	s.WriteStall = milliseconds(l.WriteWaits(from, to).Longest.Duration)
	s.ReadStall = milliseconds(l.ReadWaits(from, to).Longest.Duration)
	before := t.began.Add(-to.Sub(from))
	s.OrdinaryWrite = milliseconds(l.WriteWaits(before, t.began).Longest.Duration)
	s.OrdinaryRead = milliseconds(l.ReadWaits(before, t.began).Longest.Duration)
	return nil
}

func (b *cutOvers) say(format string, args ...any) {
	fmt.Fprintf(b.out, time.Now().Format("15:04:05 ")+format+"\n", args...)
}

func describeCutOver(s cutOverSample) string {
	text := fmt.Sprintf("%s cut-over: %s, round %d: ", s.Kind, s.Contender, s.Round)
	if !s.Counts {
		return text + "DOES NOT COUNT: " + s.Problem
	}
	text += fmt.Sprintf("write %.1f ms, read %.1f ms (before: %.1f, %.1f)", s.WriteStall, s.ReadStall, s.OrdinaryWrite, s.OrdinaryRead)
	if expected := map[string]int{successful: 1, timedOut: 2}[s.Kind]; s.Attempts != expected {
		text += fmt.Sprintf(", %d attempts", s.Attempts)
	}
	return text
}

// stalls are the values of one contender that count.
func stalls(runs []cutOverSample, contender, kind string, value func(cutOverSample) float64) []float64 {
	var found []float64
	for _, s := range runs {
		if s.Counts && s.Contender == contender && s.Kind == kind && !math.IsNaN(value(s)) {
			found = append(found, value(s))
		}
	}
	return found
}
