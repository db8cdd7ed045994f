package main

import (
	"context"
	"time"
)

// workload is one thing that is measured.
type workload struct {
	name    string
	title   string // for people
	unit    string // of run.Value
	better  order
	rows    func(total int) int // of its table, from what --rows says
	native  bool                // the server's own ALTER can do it, too
	prepare func(ctx context.Context, e *engine, rows int) error
	run     func(ctx context.Context, e *engine, c contender, rows int, r *run) error
}

// order says which of two values is the better one.
type order int

const (
	lower order = iota
	higher
)

func share(divisor int) func(int) int {
	return func(total int) int { return max(total/divisor, 1000) }
}

// workloads in the order in which they are run and shown.
var workloads = []workload{
	{
		name: "copy-narrow", title: "Copy of narrow rows, nobody else on the server", unit: "s", better: lower, rows: share(1), native: true,
		prepare: prepareNarrow, run: runNarrow,
	},
	{
		name: "copy-wide", title: "Copy of wide rows with three secondary indexes, nobody else on the server", unit: "s", better: lower, rows: share(4), native: true,
		prepare: prepareWide, run: runWide,
	},
	{
		name: "copy-load", title: "Copy under eight paced writers and two readers", unit: "s", better: lower, rows: share(4), native: true,
		run: runPaced,
	},
	{
		name: "apply", title: "Backlog of changes all over the table, drained", unit: "events/s", better: higher, rows: share(5),
		prepare: prepareSmall, run: runApply,
	},
	{
		name: "apply-hot", title: "Backlog of updates of 100 hot rows, drained", unit: "events/s", better: higher, rows: share(5),
		prepare: prepareSmall, run: runApplyHot,
	},
	{
		name: "full-speed", title: "Eight clients at full speed: time until the migration is done", unit: "s", better: lower, rows: share(10), native: true,
		run: runFullSpeed,
	},
}

func workloadNames() []string {
	var names []string
	for _, w := range workloads {
		names = append(names, w.name)
	}
	return names
}

func findWorkload(name string) (workload, bool) {
	for _, w := range workloads {
		if w.name == name {
			return w, true
		}
	}
	return workload{}, false
}

// The table that is migrated, and the change. The new column is how a migration is known to have taken place.
const (
	benchTable = "bench"
	newColumn  = "bench_note"
	change     = "ADD COLUMN " + newColumn + " varchar(32) NOT NULL DEFAULT ''"
)

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
