package main

import (
	"context"
	gosql "database/sql"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/github/gh-ost/go/sql"
)

// chunkBench measures the copy in plain SQL: what the server can do, whatever tool asks for it.
type chunkBench struct {
	*server
	out      io.Writer
	rows     int
	repeat   int
	sessions []int
	chunks   []int
}

func chunksCommand(ctx context.Context, arguments []string, stdout, stderr io.Writer) error {
	flags, settings := newFlags("chunks", stderr)
	b := &chunkBench{out: stdout, sessions: []int{1, 2, 4}, chunks: []int{1000, 5000, 20000}}
	flags.IntVar(&b.rows, "rows", 1_000_000, "`number` of rows of the table")
	flags.IntVar(&b.repeat, "repeat", 3, "`number` of rounds")
	if err := parse(flags, arguments); err != nil {
		return err
	}
	if b.rows < 1000 || b.repeat < 1 {
		return fmt.Errorf("%w: --rows must be at least 1000, --repeat at least 1", errUsage)
	}
	var err error
	if b.server, err = connect(ctx, settings); err != nil {
		return err
	}
	defer b.db.Close()
	return b.measure(ctx)
}

func (b *chunkBench) measure(ctx context.Context) error {
	results := chunksResults{header: b.header(nil, b.rows)}
	name := "chunks-" + b.flavor
	source := narrow("pristine_narrow")
	if err := source.fill(ctx, b.server, b.rows); err != nil {
		return err
	}
	want, err := source.checksum(ctx, b.server, source.name)
	if err != nil {
		return err
	}
	combinations := []chunkRun{{}} // the native ALTER
	for _, sessions := range b.sessions {
		for _, chunk := range b.chunks {
			combinations = append(combinations, chunkRun{Sessions: sessions, Chunk: chunk})
		}
	}
	for round := range b.repeat {
		for _, r := range rotated(combinations, round*len(combinations)/b.repeat) {
			r.Round = round + 1
			if err := b.once(ctx, source, want, &r); err != nil {
				return err
			}
			fmt.Fprintf(b.out, "%s %s, round %d: %.2f s, server %.1f s of processor time\n", time.Now().Format("15:04:05"), r.label(), r.Round, r.Seconds, r.ServerCPU)
			results.Runs = append(results.Runs, r)
			results.Ended = time.Now().UTC().Truncate(time.Second)
			if _, err := write(b.settings.out, name, results); err != nil {
				return err
			}
		}
	}
	fmt.Fprintln(b.out)
	chunksTable(results).writeText(b.out)
	fmt.Fprintf(b.out, "the results are in %s\n", filepath.Join(b.settings.out, name+".json"))
	return nil
}

func (r chunkRun) label() string {
	switch r.Sessions {
	case 0:
		return native
	case 1:
		return fmt.Sprintf("1 session, chunks of %s", thousands(int64(r.Chunk)))
	}
	return fmt.Sprintf("%d sessions, chunks of %s", r.Sessions, thousands(int64(r.Chunk)))
}

func (b *chunkBench) once(ctx context.Context, source table, want string, r *chunkRun) error {
	if err := b.dropTables(ctx, benchTable); err != nil {
		return err
	}
	if r.Sessions == 0 {
		if err := source.clone(ctx, b.server, benchTable); err != nil {
			return err
		}
	} else if err := b.exec(ctx, "CREATE TABLE "+sql.EscapeName(benchTable)+" LIKE "+sql.EscapeName(source.name)+"; ALTER TABLE "+sql.EscapeName(benchTable)+" "+change); err != nil {
		return err
	}
	if err := b.settle(ctx); err != nil {
		return err
	}
	began, used := time.Now(), b.processorTime()
	var err error
	if r.Sessions == 0 {
		err = b.exec(ctx, "ALTER TABLE "+sql.EscapeName(benchTable)+" "+change+", ALGORITHM=COPY")
	} else {
		err = b.copy(ctx, source, r)
	}
	if err != nil {
		return err
	}
	r.Seconds, r.ServerCPU = time.Since(began).Seconds(), (b.processorTime() - used).Seconds()
	have, err := source.checksum(ctx, b.server, benchTable)
	if err == nil && have != want {
		err = fmt.Errorf("%s: the copy is not the original: %s instead of %s", r.label(), have, want)
	}
	return errors.Join(err, b.dropTables(ctx, benchTable))
}

type idRange struct{ after, upTo int64 }

// copy walks over the key on one session, and copies the ranges on others.
func (b *chunkBench) copy(ctx context.Context, source table, r *chunkRun) error {
	from, to := sql.EscapeName(source.name), sql.EscapeName(benchTable)
	group, ctx := errgroup.WithContext(ctx)
	ranges := make(chan idRange, r.Sessions)
	group.Go(func() error {
		defer close(ranges)
		return b.walk(ctx, from, r.Chunk, ranges)
	})
	columns := "id, " + strings.Join(source.columns, ", ")
	insert := fmt.Sprintf("INSERT INTO %[1]s (%[2]s) SELECT %[2]s FROM %[3]s FORCE INDEX (PRIMARY) WHERE id > ? AND id <= ? LOCK IN SHARE MODE ON DUPLICATE KEY UPDATE id = %[1]s.id",
		to, columns, from)
	for range r.Sessions {
		group.Go(func() error {
			conn, err := b.db.Conn(ctx)
			if err != nil {
				return err
			}
			defer conn.Close()
			if _, err := conn.ExecContext(ctx, "SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED"); err != nil {
				return err
			}
			for chunk := range ranges {
				if _, err := conn.ExecContext(ctx, insert, chunk.after, chunk.upTo); err != nil {
					return fmt.Errorf("copying: %w", err)
				}
			}
			_, err = conn.ExecContext(ctx, "SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ")
			return err
		})
	}
	return group.Wait()
}

func (b *chunkBench) walk(ctx context.Context, table string, chunk int, ranges chan<- idRange) error {
	for after := int64(0); ; {
		var upTo gosql.NullInt64
		err := b.db.QueryRowContext(ctx, "SELECT MAX(id) FROM (SELECT id FROM "+table+" FORCE INDEX (PRIMARY) WHERE id > ? ORDER BY id LIMIT ?) AS chunk", after, chunk).Scan(&upTo)
		if err != nil {
			return fmt.Errorf("walking over the key: %w", err)
		}
		if !upTo.Valid {
			return nil
		}
		select {
		case ranges <- idRange{after, upTo.Int64}:
		case <-ctx.Done():
			return ctx.Err()
		}
		after = upTo.Int64
	}
}
