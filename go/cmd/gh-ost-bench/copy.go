package main

import (
	"context"
	"fmt"
)

// tables whose rows each run copies anew, by workload
func pristine(workload string) table {
	switch workload {
	case "copy-wide":
		return wide("pristine_wide")
	case "copy-narrow":
		return narrow("pristine_narrow")
	}
	return narrow("pristine_small")
}

func prepareNarrow(ctx context.Context, e *engine, rows int) error {
	return e.prepare(ctx, pristine("copy-narrow"), rows)
}

func prepareWide(ctx context.Context, e *engine, rows int) error {
	return e.prepare(ctx, pristine("copy-wide"), rows)
}

func (e *engine) prepare(ctx context.Context, t table, rows int) error {
	if err := t.fill(ctx, e.server, rows); err != nil {
		return err
	}
	var err error
	e.sums[t.name], err = t.checksum(ctx, e.server, t.name)
	return err
}

func runNarrow(ctx context.Context, e *engine, c contender, _ int, r *run) error {
	return e.copyIdle(ctx, c, r)
}

func runWide(ctx context.Context, e *engine, c contender, _ int, r *run) error {
	return e.copyIdle(ctx, c, r)
}

// copyIdle measures a whole migration from start to end while nobody else is there.
func (e *engine) copyIdle(ctx context.Context, c contender, r *run) error {
	t := pristine(r.Workload)
	if err := t.clone(ctx, e.server, benchTable); err != nil {
		return err
	}
	if err := e.settle(ctx); err != nil {
		return err
	}
	if err := e.migrate(ctx, c, r); err != nil {
		return err
	}
	r.Value = r.Seconds
	if err := e.requireChanged(ctx, r); err != nil {
		return err
	}
	return e.requireSum(ctx, t, e.sums[t.name])
}

func (e *engine) requireSum(ctx context.Context, t table, want string) error {
	have, err := t.checksum(ctx, e.server, benchTable)
	if err == nil && have != want {
		err = fmt.Errorf("the table is not what it has to be: %s instead of %s", have, want)
	}
	return err
}
