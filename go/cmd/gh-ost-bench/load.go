package main

import (
	"context"
	"errors"
	"time"

	"github.com/github/gh-ost/go/internal/ledger"
)

// clientTimeout is when a client gives a statement up. A native ALTER holds writers for as long as it takes.
const clientTimeout = time.Hour

// ordinaryTime is how long clients are watched before a migration, to compare with.
const ordinaryTime = 5 * time.Second

// restOfPaced is what each paced client rests after a transaction.
const restOfPaced = 10 * time.Millisecond

func runPaced(ctx context.Context, e *engine, c contender, rows int, r *run) error {
	return e.migrateUnderLoad(ctx, c, r, ledger.Options{Rows: rows, Writers: 8, Readers: 2, Pause: restOfPaced, StatementTimeout: clientTimeout})
}

func runFullSpeed(ctx context.Context, e *engine, c contender, rows int, r *run) error {
	return e.migrateUnderLoad(ctx, c, r, ledger.Options{Rows: rows, Writers: 8, Pause: -1, StatementTimeout: clientTimeout})
}

// migrateUnderLoad measures a whole migration while clients work. It must be right to the row even if it was not timely.
func (e *engine) migrateUnderLoad(ctx context.Context, c contender, r *run, options ledger.Options) error {
	options.Seed = uint64(r.Round)
	l := ledger.New(e.db, benchTable, options)
	if err := l.Create(ctx); err != nil {
		return err
	}
	if err := e.settle(ctx); err != nil {
		return err
	}
	load, stop := context.WithCancel(ctx)
	defer stop()
	ended := make(chan error, 1)
	go func() { ended <- l.Run(load) }()

	err := e.watchClients(ctx, c, r, l)
	stop()
	if err := errors.Join(err, <-ended); err != nil {
		return err
	}
	if err := e.requireChanged(ctx, r); err != nil {
		return err
	}
	report, err := l.Verify(ctx, nil, benchTable)
	if err != nil {
		return err
	}
	return errors.Join(report.Err(), l.Stats().Err())
}

func (e *engine) watchClients(ctx context.Context, c contender, r *run, l *ledger.Ledger) error {
	if err := rest(ctx, ordinaryTime/5); err != nil { // until all are connected
		return err
	}
	before, beganBefore := l.Stats(), time.Now()
	if err := rest(ctx, ordinaryTime); err != nil {
		return err
	}
	start, began := l.Stats(), time.Now()
	if err := e.migrate(ctx, c, r); err != nil {
		return err
	}
	end, ended := l.Stats(), time.Now()
	r.Value = r.Seconds
	writes, reads := l.WriteWaits(began, ended), l.ReadWaits(began, ended)
	r.Clients = &clients{
		Before:         float64(start.Committed-before.Committed) / began.Sub(beganBefore).Seconds(),
		During:         float64(end.Committed-start.Committed) / ended.Sub(began).Seconds(),
		WriteP99Before: milliseconds(l.WriteWaits(beganBefore, began).P99),
		WriteP99:       milliseconds(writes.P99),
		WriteLongest:   milliseconds(writes.Longest.Duration),
		ReadP99:        milliseconds(reads.P99),
		ReadLongest:    milliseconds(reads.Longest.Duration),
		Reads:          reads.Count,
		Deadlocks:      end.Deadlocks - start.Deadlocks,
		LockWaits:      end.LockWaits - start.LockWaits,
		Transactions:   end.Committed - start.Committed,
	}
	return nil
}
