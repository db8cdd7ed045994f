package main

import (
	"bytes"
	"errors"
	"flag"
	"os"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/github/gh-ost/go/internal/testserver"
)

// update writes the checked-in texts anew: go test ./go/cmd/gh-ost -update
var update = flag.Bool("update", false, "write testdata/help.txt and doc/flags.md")

// asCommand makes this test binary be the command: its tests run it as users do, with arguments, streams and exit code.
const asCommand = "GH_OST_TEST_AS_COMMAND"

func TestMain(m *testing.M) {
	switch os.Getenv(asCommand) {
	case "real":
		main()
		return
	case "waiting":
		os.Exit(runWaiting(false))
	case "hanging":
		os.Exit(runWaiting(true))
	}
	flag.Parse()
	os.Exit(testserver.Main(m, testserver.Options{Replica: true}))
}

type outcome struct {
	exitCode       int
	stdout, stderr string
}

func runCommand(t *testing.T, arguments ...string) outcome {
	t.Helper()
	var stdout, stderr bytes.Buffer
	command := exec.Command(os.Args[0], arguments...) //nolint:gosec // this test binary
	command.Env = append(os.Environ(), asCommand+"=real")
	command.Stdout, command.Stderr = &stdout, &stderr
	err := command.Run()
	var exit *exec.ExitError
	if !errors.As(err, &exit) {
		require.NoError(t, err)
	}
	return outcome{exitCode: command.ProcessState.ExitCode(), stdout: stdout.String(), stderr: stderr.String()}
}

// checked compares a text with the checked-in one.
func checked(t *testing.T, path, text string) {
	t.Helper()
	if *update {
		require.NoError(t, os.WriteFile(path, []byte(text), 0o644)) //nolint:gosec // documentation
	}
	wanted, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, string(wanted), text, "run: go test ./go/cmd/gh-ost -update")
}
