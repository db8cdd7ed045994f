package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/github/gh-ost/go/internal/testserver"
)

func TestMain(m *testing.M) { os.Exit(testserver.Main(m, testserver.Options{})) }

func TestBenchmarksOfTheRealProgramCount(t *testing.T) {
	program := filepath.Join(t.TempDir(), "gh-ost")
	testserver.Both(t, func(t *testing.T, server *testserver.Server) {
		if _, err := os.Stat(program); err != nil {
			built, err := exec.Command("go", "build", "-o", program, "github.com/github/gh-ost/go/cmd/gh-ost").CombinedOutput()
			require.NoError(t, err, string(built))
		}
		folder := t.TempDir()
		bench := func(command string, arguments ...string) string {
			var stdout, stderr bytes.Buffer
			code := runCommand(t, server, folder, program, append([]string{command}, arguments...), &stdout, &stderr)
			require.Zero(t, code, "%s\n%s", stdout.String(), stderr.String())
			return stdout.String()
		}

		engine := bench("engine", "--rows=5000", "--repeat=1", "--workloads=copy-narrow,copy-wide,apply")
		cutOver := bench("cutover", "--rows=500", "--successes=1", "--timeouts=1", "--lock-timeout=1")

		assert.NotContains(t, engine+cutOver, "DOES NOT COUNT")
		var results cutOverResults
		require.NoError(t, read(filepath.Join(folder, "cutover-"+string(server.Flavor)+".json"), &results))
		held := stalls(results.Runs, ours, timedOut, func(s cutOverSample) float64 { return s.WriteStall })
		require.NotEmpty(t, held)
		assert.Greater(t, held[0], 900.0, "writers are held until the attempt times out")
	})
}

func TestRunsOfAProgramThatFailsDoNotCount(t *testing.T) {
	server := testserver.Shared(t, testserver.MySQL)
	program, err := exec.LookPath("false")
	require.NoError(t, err)
	var stdout, stderr bytes.Buffer

	code := runCommand(t, server, t.TempDir(), program, []string{"engine", "--rows=1000", "--repeat=1", "--workloads=copy-narrow"}, &stdout, &stderr)

	assert.Equal(t, exitFailed, code)
	assert.Contains(t, stdout.String(), "gh-ost, round 1: DOES NOT COUNT")
	assert.Regexp(t, `gh-ost +– .* 0 of 1`, stdout.String())
}

func TestBadFlagsAreNamed(t *testing.T) {
	for flag, arguments := range map[string][]string{
		"--rows":      {"engine", "--rows=1", "--gh-ost=/bin/true"},
		"--workloads": {"engine", "--workloads=nonsense", "--gh-ost=/bin/true"},
		"/nowhere":    {"cutover", "--gh-ost=/nowhere"},
		"nonsense":    {"nonsense"},
		"--repeat":    {"chunks", "--repeat=0"},
	} {
		var stderr bytes.Buffer
		code := command(t.Context(), arguments, &bytes.Buffer{}, &stderr)
		assert.Equal(t, exitUsage, code)
		assert.Contains(t, stderr.String(), flag)
	}
}

// runCommand runs a command on a schema of its own.
func runCommand(t *testing.T, server *testserver.Server, folder, program string, arguments []string, stdout, stderr *bytes.Buffer) int {
	t.Helper()
	return command(t.Context(), append(arguments,
		"--host="+server.Host, fmt.Sprintf("--port=%d", server.Port), fmt.Sprintf("--server-pid=%d", server.PID),
		"--user="+server.User, "--password="+server.Password, "--admin-user="+server.AdminUser, "--admin-password="+server.AdminPassword,
		"--database="+server.Schema(t), "--gh-ost="+program, "--out="+folder), stdout, stderr)
}
