package main

import (
	"bufio"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/github/gh-ost/go/base"
)

// waitingMigrator is a run that goes on until it is cancelled. It then says so and ends, or hangs.
type waitingMigrator struct {
	migration *base.MigrationContext
	hangs     bool
}

func (w *waitingMigrator) Migrate() error {
	_, _ = os.Stdout.WriteString("running\n")
	<-w.migration.GetContext().Done()
	_, _ = os.Stdout.WriteString("cancelled\n")
	if w.hangs {
		time.Sleep(time.Minute)
	}
	return w.migration.GetAbortError()
}

func (w *waitingMigrator) Revert() error { return w.Migrate() }

func (w *waitingMigrator) Cleanup() error { return w.Migrate() }

func (w *waitingMigrator) ExecOnFailureHook() error {
	return errors.New("the hook was called")
}

// runWaiting is what the test binary does when asCommand says so.
func runWaiting(hangs bool) int {
	program := &command{stdout: os.Stdout, newMigrator: func(migration *base.MigrationContext, _ string) migrator {
		return &waitingMigrator{migration, hangs}
	}}
	return program.run(os.Args[1:])
}

// waitingRun is such a process.
type waitingRun struct {
	t       *testing.T
	command *exec.Cmd
	stdout  *bufio.Scanner
	stderr  *strings.Builder
}

func startWaiting(t *testing.T, mode string, arguments ...string) *waitingRun {
	t.Helper()
	run := &waitingRun{t: t, stderr: &strings.Builder{}}
	run.command = exec.Command(os.Args[0], append(append([]string{}, runnable...), arguments...)...) //nolint:gosec // this test binary
	run.command.Env = append(os.Environ(), asCommand+"="+mode)
	run.command.Stderr = run.stderr
	output, err := run.command.StdoutPipe()
	require.NoError(t, err)
	run.stdout = bufio.NewScanner(output)
	require.NoError(t, run.command.Start())
	t.Cleanup(func() { _ = run.command.Process.Kill() })
	run.says("running")
	return run
}

func (r *waitingRun) says(line string) {
	r.t.Helper()
	require.True(r.t, r.stdout.Scan())
	require.Equal(r.t, line, r.stdout.Text())
}

func (r *waitingRun) exitCode() int {
	r.t.Helper()
	_ = r.command.Wait()
	return r.command.ProcessState.ExitCode()
}

func TestFirstSignalEndsTheRunThroughItsContext(t *testing.T) {
	for _, signal := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
		run := startWaiting(t, "waiting")
		require.NoError(t, run.command.Process.Signal(signal))
		run.says("cancelled")
		assert.Equal(t, 128+int(signal), run.exitCode())
		assert.Contains(t, run.stderr.String(), "ERROR stopped by SIG")
		assert.Contains(t, run.stderr.String(), "the hook was called", "the run has failed")
	}
}

func TestSecondSignalEndsTheProcessAtOnce(t *testing.T) {
	run := startWaiting(t, "hanging")
	require.NoError(t, run.command.Process.Signal(syscall.SIGTERM))
	run.says("cancelled")
	require.NoError(t, run.command.Process.Signal(syscall.SIGINT))
	assert.Equal(t, 130, run.exitCode())
}

func TestHangUpReadsTheConfigFileAgainAndTheRunGoesOn(t *testing.T) {
	path := filepath.Join(t.TempDir(), "gh-ost.cnf")
	require.NoError(t, os.WriteFile(path, []byte("[client]\nuser=one\n"), 0o600))
	run := startWaiting(t, "waiting", "--verbose", "--conf="+path)
	require.NoError(t, os.WriteFile(path, []byte("[client]\nuser=two\n"), 0o600))
	require.NoError(t, run.command.Process.Signal(syscall.SIGHUP))
	require.NoError(t, run.command.Process.Signal(syscall.SIGTERM))
	run.says("cancelled")
	assert.Equal(t, 143, run.exitCode())
	assert.Contains(t, run.stderr.String(), "names another account now")
}
