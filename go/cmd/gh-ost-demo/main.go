// Command gh-ost-demo shows a migration under load, and proves that it lost nothing. It is no part of a release:
// script/demo runs it against a server that it has started for it.
//
// It creates a table, starts writers and readers on it, has the gh-ost binary migrate the table as a user would, and in
// the end compares the table with what the writers know to have committed (package ledger). It fails if gh-ost fails, if a
// row is not as it must be, if a client met an error, or if anything but the altered table is left behind.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// exit codes other than 0 for a clean migration
const (
	exitFailed      = 1
	exitUsage       = 2
	exitInterrupted = 130
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	os.Exit(command(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

func command(ctx context.Context, arguments []string, stdout, stderr io.Writer) int {
	settings, err := parse(arguments, stderr)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return 0
	case err != nil:
		fmt.Fprintln(stderr, "demo: error:", err)
		return exitUsage
	}
	err = newDemo(settings, stdout).run(ctx)
	switch {
	case ctx.Err() != nil:
		fmt.Fprintln(stderr, "demo: interrupted")
		return exitInterrupted
	case err != nil:
		fmt.Fprintln(stderr, "demo: error:", err)
		return exitFailed
	}
	return 0
}

// settings are what the command line says.
type settings struct {
	host, user, password         string
	adminUser, adminPassword     string
	port                         int
	schema, table, alter, binary string
	log                          string
	rows, writers, readers       int
	pause, before, after         time.Duration
	seed                         uint64
	more                         []string // arguments for gh-ost, after our own
}

func parse(arguments []string, stderr io.Writer) (settings, error) {
	var s settings
	flags := flag.NewFlagSet("gh-ost-demo", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.Usage = func() {
		fmt.Fprintln(stderr, "Usage: gh-ost-demo [flags] [-- further flags for gh-ost]")
		flags.PrintDefaults()
	}
	flags.StringVar(&s.host, "host", "127.0.0.1", "the `server` to migrate on")
	flags.IntVar(&s.port, "port", 3306, "its `port`")
	flags.StringVar(&s.user, "user", "gh-ost", "`account` that gh-ost uses")
	flags.StringVar(&s.password, "password", "", "its `password`")
	flags.StringVar(&s.adminUser, "admin-user", "root", "`account` that creates the table and reads and writes it")
	flags.StringVar(&s.adminPassword, "admin-password", "", "its `password`")
	flags.StringVar(&s.schema, "database", "test", "`schema` of the table; it must exist")
	flags.StringVar(&s.table, "table", "demo", "`name` of the table; it must not exist, and stays")
	flags.StringVar(&s.alter, "alter", "ADD COLUMN region varchar(32) NOT NULL DEFAULT 'north', ADD COLUMN seen_at timestamp NULL, ADD KEY counter_idx (counter)",
		"the `change`; the columns id, slot, payload and counter must keep their names and values")
	flags.StringVar(&s.binary, "gh-ost", "bin/gh-ost", "the `program` that migrates")
	flags.StringVar(&s.log, "log", "gh-ost.log", "`file` for what gh-ost logs")
	flags.IntVar(&s.rows, "rows", 200_000, "`number` of rows that the table begins with")
	flags.IntVar(&s.writers, "writers", 8, "`number` of sessions that write")
	flags.IntVar(&s.readers, "readers", 2, "`number` of sessions that read")
	flags.DurationVar(&s.pause, "pause", 10*time.Millisecond, "`time` that each of them rests after a transaction")
	flags.Uint64Var(&s.seed, "seed", 1, "`number` that the random choices come from")
	flags.DurationVar(&s.before, "before", 2*time.Second, "`time` of load before the migration, to compare with")
	flags.DurationVar(&s.after, "after", 2*time.Second, "`time` of load after it, on the new table")
	if err := flags.Parse(arguments); err != nil {
		return s, err
	}
	s.more = flags.Args()
	switch {
	case s.rows < 1:
		return s, fmt.Errorf("--rows must be at least 1, not %d", s.rows)
	case s.writers < 1:
		return s, fmt.Errorf("--writers must be at least 1, not %d", s.writers)
	case s.readers < 0:
		return s, fmt.Errorf("--readers must not be negative: %d", s.readers)
	case s.pause < 0:
		return s, fmt.Errorf("--pause must not be negative: %s", s.pause)
	}
	return s, nil
}
