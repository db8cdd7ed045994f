package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/github/gh-ost/go/base"
	"github.com/github/gh-ost/go/metrics"
)

// The exit codes; a run that a signal has stopped ends with 128 + its number.
const (
	exitSuccess = 0
	exitFailure = 1
	exitUsage   = 2
)

// migrator is what package logic offers.
type migrator interface {
	Migrate() error
	Revert() error
	ExecOnFailureHook() error
	Cleanup() error
}

// command is the program with what it stands on.
type command struct {
	stdout       io.Writer
	readPassword func() ([]byte, error) // from the terminal, without echo
	newMigrator  func(migration *base.MigrationContext, version string) migrator
}

// run does what the arguments (without the program's name) ask for and returns the exit code.
func (c *command) run(arguments []string) int {
	o := newOptions()
	if err := o.parse(arguments, c.stdout); err != nil {
		return c.explainUsage(err)
	}
	switch {
	case o.checkFlag:
		return exitSuccess
	case o.help:
		writeUsage(c.stdout, o.table())
		return exitSuccess
	case o.version:
		fmt.Fprintf(c.stdout, "%s (git commit: %s)\n", AppVersion, GitCommit)
		return exitSuccess
	}
	if err := o.validate(c.askPassword); err != nil {
		return fail(o, err)
	}
	work := c.migrate
	if o.cleanup {
		work = c.cleanUp
	}
	if err := work(o); err != nil {
		return fail(o, err)
	}
	fmt.Fprintln(c.stdout, "# Done")
	return exitSuccess
}

func (c *command) explainUsage(err error) int {
	if errors.Is(err, flag.ErrHelp) {
		return exitSuccess
	}
	var usage *usageError
	if errors.As(err, &usage) && !usage.showsUsage {
		fmt.Fprintf(c.stdout, "%s\n--help shows all flags.\n", usage.message)
	}
	return exitUsage
}

// fail logs the error that ends the process. The default logger ends it there and then, except after a signal.
func fail(o *options, err error) int {
	err = oneLine{err}
	var stopped *stopSignal
	if errors.As(err, &stopped) || errors.As(o.migration.GetAbortError(), &stopped) {
		_ = o.migration.Log.Errore(err)
		return stopped.exitCode()
	}
	_ = o.migration.Log.Fatale(err)
	return exitFailure
}

// oneLine is an error in one line, as scripts expect a line of the log to be; joined errors have one for each.
type oneLine struct{ error }

func (e oneLine) Error() string {
	return strings.ReplaceAll(strings.TrimSpace(e.error.Error()), "\n", "; ")
}

func (e oneLine) Unwrap() error { return e.error }

func (c *command) migrate(o *options) (err error) {
	m := o.migration
	client, err := o.startMetrics()
	if err != nil {
		return err
	}
	defer func() {
		if closeErr := client.Close(); closeErr != nil {
			o.warnf("the last metrics are lost: %w", closeErr)
		}
	}()
	stopHandling := o.handleSignals()
	defer stopHandling()
	m.Log.Infof("starting gh-ost %s (git commit: %s)", AppVersion, GitCommit)
	run := c.newMigrator(m, AppVersion)
	carryOut := run.Migrate
	if m.Revert {
		carryOut = run.Revert
	}
	if err = carryOut(); err != nil {
		if hookErr := run.ExecOnFailureHook(); hookErr != nil {
			_ = m.Log.Errorf("on-failure hook: %w", hookErr)
		}
	}
	return err
}

// cleanUp removes what an earlier migration has left. It tells no hook, and measures nothing.
func (c *command) cleanUp(o *options) error {
	stopHandling := o.handleSignals()
	defer stopHandling()
	return c.newMigrator(o.migration, AppVersion).Cleanup()
}

// startMetrics connects to the statsd listener, if there is one to connect to.
func (o *options) startMetrics() (*metrics.Client, error) {
	if o.statsdAddr == "" {
		return metrics.Noop, nil
	}
	client, err := metrics.NewClient(o.statsdAddr, o.statsdTags, "gh_ost")
	if err != nil {
		return nil, fmt.Errorf("--statsd-addr: %w", err)
	}
	o.migration.Metrics = client
	metrics.StartGoRuntimeReporter(o.migration.GetContext(), client, time.Duration(o.runtimeMetricsInterval)*time.Second)
	return client, nil
}

func (c *command) askPassword() (string, error) {
	fmt.Fprintln(c.stdout, "Password:")
	password, err := c.readPassword()
	if err != nil {
		return "", fmt.Errorf("the password is read from a terminal on stdin: %w", err)
	}
	return string(password), nil
}
