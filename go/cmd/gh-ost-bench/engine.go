package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/github/gh-ost/go/sql"
)

// engine measures copying and applying.
type engine struct {
	*server
	out        io.Writer
	contenders []contender
	workloads  []workload
	rows       int
	repeat     int
	limit      time.Duration // of one run
	profile    bool
	sums       map[string]string // checksum of each prepared table
}

func engineCommand(ctx context.Context, arguments []string, stdout, stderr io.Writer) error {
	flags, settings := newFlags("engine", stderr)
	e := &engine{out: stdout, sums: map[string]string{}}
	names := flags.String("workloads", strings.Join(workloadNames(), ","), "which `ones`, separated by commas")
	flags.IntVar(&e.rows, "rows", 1_000_000, "`number` of rows of the largest table; the others have a fixed share of it")
	flags.IntVar(&e.repeat, "repeat", 3, "`number` of rounds")
	flags.DurationVar(&e.limit, "limit", 5*time.Minute, "`time` after which a run is ended")
	flags.BoolVar(&e.profile, "profile", false, "take CPU profiles of our program, during one run of copy-narrow and of apply")
	noNative := flags.Bool("no-native", false, "leave the server's own ALTER out")
	if err := parse(flags, arguments); err != nil {
		return err
	}
	if err := e.choose(settings, *names, !*noNative); err != nil {
		return err
	}
	srv, err := connect(ctx, settings)
	if err != nil {
		return err
	}
	defer srv.db.Close()
	e.server = srv
	return e.measure(ctx)
}

func (e *engine) choose(settings *settings, names string, withNative bool) error {
	if e.rows < 1000 || e.repeat < 1 || e.limit <= 0 {
		return fmt.Errorf("%w: --rows must be at least 1000, --repeat at least 1, --limit above 0", errUsage)
	}
	for name := range strings.SplitSeq(names, ",") {
		found, ok := findWorkload(strings.TrimSpace(name))
		if !ok {
			return fmt.Errorf("%w: --workloads: there is no %q; there are %s", errUsage, name, strings.Join(workloadNames(), ", "))
		}
		e.workloads = append(e.workloads, found)
	}
	var err error
	e.contenders, err = settings.contenders()
	if withNative {
		e.contenders = append(e.contenders, contender{name: native})
	}
	return err
}

// measure returns an error if one of our own runs does not count.
func (e *engine) measure(ctx context.Context) error {
	results := engineResults{header: e.header(e.contenders, e.rows)}
	name := "engine-" + e.flavor
	var failures []error
	for _, w := range e.workloads {
		rows := w.rows(e.rows)
		if w.prepare != nil {
			e.say("%s: preparing %s rows", w.name, thousands(int64(rows)))
			if err := w.prepare(ctx, e, rows); err != nil {
				return fmt.Errorf("%s: %w", w.name, err)
			}
		}
		for round := range e.repeat {
			for _, c := range rotated(e.contenders, round) {
				if c.isNative() && !w.native {
					continue
				}
				r := e.once(ctx, w, c, rows, round+1)
				if ctx.Err() != nil {
					return ctx.Err()
				}
				e.say("%s", describe(w, r))
				if !r.Counts && c.name == ours {
					failures = append(failures, fmt.Errorf("%s, round %d: %s", w.name, r.Round, r.Problem))
				}
				results.Runs = append(results.Runs, r)
				results.Ended = time.Now().UTC().Truncate(time.Second)
				if _, err := write(e.settings.out, name, results); err != nil {
					return err
				}
			}
		}
	}
	fmt.Fprintln(e.out)
	for _, t := range engineTables(results) {
		t.writeText(e.out)
	}
	e.say("the results are in %s", filepath.Join(e.settings.out, name+".json"))
	return errors.Join(failures...)
}

// once does one run and cleans up after it.
func (e *engine) once(ctx context.Context, w workload, c contender, rows, round int) run {
	r := run{Workload: w.name, Contender: c.name, Round: round, Timely: true}
	err := e.dropTables(ctx, benchTable)
	if err == nil {
		err = w.run(ctx, e, c, rows, &r)
	}
	if err == nil {
		r.Counts = true
	} else {
		r.Problem = err.Error()
	}
	cleanUp, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Minute)
	defer cancel()
	if err := e.dropTables(cleanUp, benchTable); err != nil && r.Counts {
		r.Counts, r.Problem = false, err.Error()
	}
	return r
}

func (e *engine) logName(c contender, r *run) string {
	return fmt.Sprintf("%s-%s-%s-%d", e.flavor, r.Workload, strings.ReplaceAll(c.name, " ", "-"), r.Round)
}

// migrate does a whole migration and takes its figures. The time limit counts as no error: the run was not timely.
func (e *engine) migrate(ctx context.Context, c contender, r *run) error {
	r.ServerLoad = loadAverage()
	server := e.processorTime()
	defer func() { r.ServerCPU = (e.processorTime() - server).Seconds() }()
	if c.isNative() {
		return e.alter(ctx, r)
	}
	t, err := e.start(ctx, c, benchTable, change, e.logName(c, r))
	if err != nil {
		return err
	}
	profiled := e.profileSoon(ctx, c, t, r)
	err = t.wait(e.limit)
	<-profiled
	r.Seconds = t.ended.Sub(t.began).Seconds()
	r.ToolCPU = t.processorTime().Seconds()
	r.ToolMemory = t.peakMemory()
	if at, found := first(t.log.sightings(), []mark{markCopied}); found {
		r.CopySeconds = at.Sub(t.began).Seconds()
	}
	var late *limitError
	if errors.As(err, &late) {
		r.Timely, r.Problem = false, err.Error()
		return nil
	}
	return err
}

func (e *engine) alter(ctx context.Context, r *run) error {
	limited, cancel := context.WithTimeout(ctx, e.limit)
	defer cancel()
	began := time.Now()
	_, err := e.db.ExecContext(limited, "ALTER TABLE "+sql.EscapeName(benchTable)+" "+change+", ALGORITHM=COPY")
	r.Seconds = time.Since(began).Seconds()
	r.CopySeconds = r.Seconds
	if err != nil && errors.Is(limited.Err(), context.DeadlineExceeded) {
		r.Timely, r.Problem = false, (&limitError{e.limit}).Error()
		return nil
	}
	return err
}

// requireChanged makes sure that the migration took place, exactly if it was timely.
func (e *engine) requireChanged(ctx context.Context, r *run) error {
	if !r.Timely {
		return nil
	}
	changed, err := e.hasColumn(ctx, benchTable, newColumn)
	if err == nil && !changed {
		err = errors.New("the program says that it succeeded, but the table is as it was before")
	}
	return err
}

func (e *engine) say(format string, args ...any) {
	fmt.Fprintf(e.out, time.Now().Format("15:04:05 ")+format+"\n", args...)
}

func describe(w workload, r run) string {
	text := fmt.Sprintf("%s: %s, round %d: ", w.name, r.Contender, r.Round)
	switch {
	case !r.Counts:
		return text + "DOES NOT COUNT: " + r.Problem
	case !r.Timely:
		return text + r.Problem
	}
	return text + formatNumber(r.Value) + " " + w.unit
}

func loadAverage() float64 {
	text, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return 0
	}
	word, _, _ := strings.Cut(string(text), " ")
	load, _ := strconv.ParseFloat(word, 64)
	return load
}
