// Command gh-ost-bench measures migrations and cut-overs on a server that script/bench has started for it. It is no part
// of a release.
//
// Contenders do the same work on the same data in turn, round after round, so that whatever else the machine does meets all
// of them. What a run proves about itself is checked after it: the table must hold, row by row, what the clients
// committed (package ledger), or what its checksum was. A run that does not prove it is shown, but counts for nothing.
//
// The results are JSON files; the tables and plots of doc/benchmarks.md are made from them.
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
)

// exit codes other than 0, which means that enough runs counted
const (
	exitFailed      = 1
	exitUsage       = 2
	exitInterrupted = 130
)

const usage = `Usage: gh-ost-bench COMMAND [flags]

  engine     measure the copy and the applying of events
  cutover    measure how long clients wait at a cut-over
  chunks     measure the copy in plain SQL, by sessions and chunk size
  document   write tables and plots of the results into doc/

"gh-ost-bench COMMAND --help" lists the flags.
`

// errUsage wraps what is wrong with a command line.
var errUsage = errors.New("usage")

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	os.Exit(command(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

func command(ctx context.Context, arguments []string, stdout, stderr io.Writer) int {
	err := dispatch(ctx, arguments, stdout, stderr)
	switch {
	case err == nil || errors.Is(err, flag.ErrHelp):
		return 0
	case ctx.Err() != nil:
		fmt.Fprintln(stderr, "bench: interrupted")
		return exitInterrupted
	case errors.Is(err, errUsage):
		fmt.Fprintln(stderr, "bench: error:", err)
		return exitUsage
	}
	fmt.Fprintln(stderr, "bench: error:", err)
	return exitFailed
}

func dispatch(ctx context.Context, arguments []string, stdout, stderr io.Writer) error {
	if len(arguments) == 0 {
		fmt.Fprint(stderr, usage)
		return fmt.Errorf("%w: a command is wanted", errUsage)
	}
	name, arguments := arguments[0], arguments[1:]
	switch name {
	case "engine":
		return engineCommand(ctx, arguments, stdout, stderr)
	case "cutover":
		return cutOverCommand(ctx, arguments, stdout, stderr)
	case "chunks":
		return chunksCommand(ctx, arguments, stdout, stderr)
	case "document":
		return documentCommand(arguments, stdout, stderr)
	case "help", "-h", "--help":
		fmt.Fprint(stdout, usage)
		return nil
	}
	return fmt.Errorf("%w: unknown command %q; see gh-ost-bench help", errUsage, name)
}

// newFlags returns a flag set for one command, with the flags of the server.
func newFlags(command string, stderr io.Writer) (*flag.FlagSet, *settings) {
	flags := flag.NewFlagSet("gh-ost-bench "+command, flag.ContinueOnError)
	flags.SetOutput(stderr)
	s := &settings{}
	flags.StringVar(&s.host, "host", "127.0.0.1", "the `server`")
	flags.IntVar(&s.port, "port", 3306, "its `port`")
	flags.IntVar(&s.pid, "server-pid", 0, "its process `id`, to read the processor time that it uses")
	flags.StringVar(&s.user, "user", "gh-ost", "`account` that the contenders use")
	flags.StringVar(&s.password, "password", "", "its `password`")
	flags.StringVar(&s.adminUser, "admin-user", "root", "`account` that may do everything")
	flags.StringVar(&s.adminPassword, "admin-password", "", "its `password`")
	flags.StringVar(&s.schema, "database", "test", "`schema` to work in; it must exist")
	flags.StringVar(&s.binary, "gh-ost", "bin/gh-ost", "the `program` that is measured")
	flags.StringVar(&s.peers, "peer", "", "other gh-ost compatible `programs` to compare it with, separated by commas: /path or name=/path")
	flags.StringVar(&s.more, "tool-flags", "", "`flags` for all those programs, separated by blanks")
	flags.StringVar(&s.out, "out", ".cache/bench", "`folder` for results and logs")
	return flags, s
}

func parse(flags *flag.FlagSet, arguments []string) error {
	if err := flags.Parse(arguments); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return err
		}
		return fmt.Errorf("%w: %w", errUsage, err)
	}
	if flags.NArg() > 0 {
		return fmt.Errorf("%w: %q is no flag", errUsage, flags.Arg(0))
	}
	return nil
}
