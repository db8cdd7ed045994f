package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/github/gh-ost/go/sql"
)

const (
	// throttleTime is how long a program may take to notice that it is to stand still: they look once a second.
	throttleTime = 2500 * time.Millisecond

	// feeders are the sessions that make the backlog, each of them feedBatch changes a transaction.
	feeders   = 4
	feedBatch = 10

	// hotRows are the ones that the hot backlog changes.
	hotRows = 100

	// firstRow and lastRow are changed at the backlog's beginning and end, and by nobody else.
	firstRow, lastRow, firstFreeRow = 1, 2, 10

	// pollInterval is the time between two looks whether the backlog's end has been applied.
	pollInterval = 5 * time.Millisecond
)

func prepareSmall(ctx context.Context, e *engine, rows int) error {
	return e.prepare(ctx, pristine("apply"), rows)
}

func runApply(ctx context.Context, e *engine, c contender, rows int, r *run) error {
	return e.drain(ctx, c, rows, r, spreadChanges)
}

func runApplyHot(ctx context.Context, e *engine, c contender, rows int, r *run) error {
	return e.drain(ctx, c, rows, r, hotChanges)
}

// drain has a program copy the table and wait with the cut-over, makes it stand still, makes as many changes as there are
// rows, lets it go on, and measures from the first of these changes in the ghost table to the last.
func (e *engine) drain(ctx context.Context, c contender, rows int, r *run, changes func(feeder, rows int, random *rand.Rand) func() string) error {
	table := pristine(r.Workload)
	if err := table.clone(ctx, e.server, benchTable); err != nil {
		return err
	}
	if err := e.settle(ctx); err != nil {
		return err
	}
	r.ServerLoad = loadAverage()
	// Standing still makes the measured lag grow; it must not make it throttle afterwards.
	t, err := e.start(ctx, c, benchTable, change, e.logName(c, r), "--postpone-cut-over-flag-file="+folderMark+"/postpone",
		"--throttle-flag-file="+folderMark+"/throttle", "--max-lag-millis=3600000")
	if err != nil {
		return err
	}
	defer t.stop()
	limited, cancel := context.WithTimeout(ctx, e.limit)
	defer cancel()
	if err := e.measureDrain(limited, c, t, rows, r, changes); err != nil {
		return errors.Join(err, ctx.Err())
	}
	before, err := table.checksum(ctx, e.server, benchTable)
	if err != nil {
		return err
	}
	if err := os.Remove(t.path("postpone")); err != nil {
		return fmt.Errorf("letting the cut-over go on: %w", err)
	}
	if err := t.wait(e.limit); err != nil {
		return err
	}
	r.Seconds = t.ended.Sub(t.began).Seconds()
	r.ToolMemory = t.peakMemory()
	return errors.Join(e.requireChanged(ctx, r), e.requireSum(ctx, table, before))
}

func (e *engine) measureDrain(ctx context.Context, c contender, t *tool, rows int, r *run, changes func(feeder, rows int, random *rand.Rand) func() string) error {
	if _, err := t.log.await(ctx, markCopied); err != nil {
		return err
	}
	if err := os.WriteFile(t.path("throttle"), nil, 0o644); err != nil {
		return fmt.Errorf("throttling: %w", err)
	}
	if err := rest(ctx, throttleTime); err != nil {
		return err
	}
	events, err := e.feed(ctx, rows, r.Round, changes)
	if err != nil {
		return err
	}
	ghost := ghostOf(benchTable)
	if early, err := e.isMarked(ctx, ghost, firstRow); err != nil {
		return err
	} else if early {
		return errors.New("changes were applied although the program was told to stand still")
	}
	profiled := e.profileSoon(ctx, c, t, r)
	if err := os.Remove(t.path("throttle")); err != nil {
		return fmt.Errorf("letting the program go on: %w", err)
	}
	if err := e.awaitMarked(ctx, t, ghost, firstRow); err != nil {
		return err
	}
	began, tool, server := time.Now(), t.processorTime(), e.processorTime()
	if err := e.awaitMarked(ctx, t, ghost, lastRow); err != nil {
		return err
	}
	r.Events = events
	r.Value = float64(events) / time.Since(began).Seconds()
	r.ToolCPU, r.ServerCPU = (t.processorTime() - tool).Seconds(), (e.processorTime() - server).Seconds()
	<-profiled
	return nil
}

const drainMark = "drained up to here"

func (e *engine) isMarked(ctx context.Context, table string, id int) (bool, error) {
	var found int
	err := e.db.QueryRowContext(ctx, "SELECT COUNT(*) FROM "+sql.EscapeName(table)+" WHERE id = ? AND pad = ?", id, drainMark).Scan(&found)
	return found > 0, err
}

func (e *engine) awaitMarked(ctx context.Context, t *tool, table string, id int) error {
	for {
		if found, err := e.isMarked(ctx, table, id); err != nil || found {
			return err
		}
		select {
		case <-t.done:
			return fmt.Errorf("waiting for the backlog to be applied: %w\n%s", errors.Join(errLogEnded, t.err), t.log.tail())
		default:
		}
		if err := rest(ctx, pollInterval); err != nil {
			return fmt.Errorf("waiting for the backlog to be applied: %w", err)
		}
	}
}

// feed makes the changes and returns how many rows they changed. Each is a statement of its own that changes one row.
func (e *engine) feed(ctx context.Context, rows, round int, changes func(feeder, rows int, random *rand.Rand) func() string) (events int64, err error) {
	mark := "UPDATE " + sql.EscapeName(benchTable) + " SET pad = ? WHERE id = ?"
	if err := e.exec(ctx, mark, drainMark, firstRow); err != nil {
		return 0, err
	}
	batches := max(rows/feeders/feedBatch, 1)
	group, groupContext := errgroup.WithContext(ctx)
	for feeder := range feeders {
		next := changes(feeder, rows, rand.New(rand.NewPCG(uint64(round), uint64(feeder))))
		group.Go(func() error {
			for range batches {
				statements := []string{"BEGIN"}
				for range feedBatch {
					statements = append(statements, next())
				}
				if err := e.exec(groupContext, strings.Join(append(statements, "COMMIT"), "; ")); err != nil {
					return fmt.Errorf("making the backlog: %w", err)
				}
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return 0, err
	}
	if err := e.exec(ctx, mark, drainMark, lastRow); err != nil {
		return 0, err
	}
	return int64(2 + feeders*batches*feedBatch), nil
}

// spreadChanges are updates of rows all over the table, and some inserts and deletes. Each feeder has rows of its own.
func spreadChanges(feeder, rows int, random *rand.Rand) func() string {
	table := sql.EscapeName(benchTable)
	inserted, deleted := 0, 0
	newID := func(number int) int { return rows + 1 + number*feeders + feeder }
	return func() string {
		switch drawn := random.IntN(100); {
		case drawn < 15 && deleted < inserted:
			deleted++
			return fmt.Sprintf("DELETE FROM %s WHERE id = %d", table, newID(deleted-1))
		case drawn < 30:
			inserted++
			return fmt.Sprintf("INSERT INTO %s (id, k, c, pad) VALUES (%d, %d, '%032x', 'new')", table, newID(inserted-1), random.IntN(1<<20), random.Uint64())
		}
		return updateOf(table, firstFreeRow+feeder+feeders*random.IntN((rows-firstFreeRow)/feeders-1), random)
	}
}

func hotChanges(feeder, _ int, random *rand.Rand) func() string {
	table := sql.EscapeName(benchTable)
	return func() string {
		return updateOf(table, firstFreeRow+feeder+feeders*random.IntN(hotRows/feeders), random)
	}
}

func updateOf(table string, id int, random *rand.Rand) string {
	return fmt.Sprintf("UPDATE %s SET k = k + 1, c = '%032x' WHERE id = %d", table, random.Uint64(), id)
}
