package hooks

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// recordingLog keeps what is logged.
type recordingLog struct {
	mutex sync.Mutex
	lines []string
}

func (l *recordingLog) add(level, format string, args ...interface{}) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	l.lines = append(l.lines, level+" "+fmt.Sprintf(format, args...))
}

func (l *recordingLog) Infof(format string, args ...interface{}) { l.add("INFO", format, args...) }

func (l *recordingLog) Errorf(format string, args ...interface{}) error {
	l.add("ERROR", format, args...)
	return fmt.Errorf(format, args...)
}

// outputSink is what stands for stderr; it can be watched while a hook runs, and fails once broken is set.
type outputSink struct {
	mutex  sync.Mutex
	text   bytes.Buffer
	broken error
}

func (s *outputSink) Write(data []byte) (int, error) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.broken != nil {
		return 0, s.broken
	}
	return s.text.Write(data)
}

func (s *outputSink) String() string {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return s.text.String()
}

// bench is a hooks directory with an executor for it.
type bench struct {
	directory string
	output    *outputSink
	log       *recordingLog
	*Executor
}

func newBench(t *testing.T, timeout time.Duration) *bench {
	t.Helper()
	b := &bench{directory: t.TempDir(), output: &outputSink{}, log: &recordingLog{}}
	b.Executor = NewExecutor(b.directory, timeout, b.output, b.log)
	return b
}

func (b *bench) script(t *testing.T, name, body string) string {
	t.Helper()
	path := filepath.Join(b.directory, name)
	require.NoError(t, os.WriteFile(path, []byte("#!/bin/bash\n"+body+"\n"), 0o755))
	return path
}

func TestHooksOfAnEventRunInByteOrderAndOthersDoNot(t *testing.T) {
	b := newBench(t, 0)
	for _, name := range []string{"gh-ost-on-startup", "gh-ost-on-startup--mail", "gh-ost-on-startup12", "gh-ost-on-startupB", "gh-ost-on-startupa",
		"gh-ost-on-status", "my-gh-ost-on-startup"} {
		b.script(t, name, `echo "${0##*/} $#"`)
	}

	require.NoError(t, b.Run(t.Context(), OnStartup, Environment{}))

	assert.Equal(t, "gh-ost-on-startup 0\ngh-ost-on-startup--mail 0\ngh-ost-on-startup12 0\ngh-ost-on-startupB 0\ngh-ost-on-startupa 0\n", b.output.String())
	first := filepath.Join(b.directory, "gh-ost-on-startup")
	assert.Equal(t, []string{"INFO executing gh-ost-on-startup hook: " + first, "INFO executing hook: " + first}, b.log.lines[:2])
}

func TestTheDirectoryIsReadAnewAtEachEvent(t *testing.T) {
	b := newBench(t, 0)
	require.NoError(t, b.Run(t.Context(), OnStatus, Environment{}))

	path := b.script(t, "gh-ost-on-status", "echo first")
	require.NoError(t, b.Run(t.Context(), OnStatus, Environment{}))
	require.NoError(t, os.Remove(path))
	require.NoError(t, b.Run(t.Context(), OnStatus, Environment{}))

	assert.Equal(t, "first\n", b.output.String())
}

func TestWithoutADirectoryThereAreNoHooks(t *testing.T) {
	for _, path := range []string{"", filepath.Join(t.TempDir(), "missing")} {
		assert.NoError(t, NewExecutor(path, 0, io.Discard, &recordingLog{}).Run(t.Context(), OnStartup, Environment{}))
	}
}

func TestThePathMayBeAPatternOrHoldItsCharacters(t *testing.T) {
	root := t.TempDir()
	for _, name := range []string{"team-a", "team-b", "odd[1]*"} {
		require.NoError(t, os.Mkdir(filepath.Join(root, name), 0o755))
		(&bench{directory: filepath.Join(root, name)}).script(t, "gh-ost-on-success", "echo "+name[:6])
	}
	for path, expected := range map[string]string{"team-*": "team-a\nteam-b\n", "odd[1]*": "odd[1]\n"} {
		output := &outputSink{}
		require.NoError(t, NewExecutor(filepath.Join(root, path), 0, output, &recordingLog{}).Run(t.Context(), OnSuccess, Environment{}))
		assert.Equal(t, expected, output.String())
	}
}

func TestDirectoryThatCannotBeReadIsAnError(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(path, nil, 0o600))
	log := &recordingLog{}

	err := NewExecutor(path, 0, io.Discard, log).Run(t.Context(), OnStartup, Environment{})

	require.ErrorIs(t, err, syscall.ENOTDIR)
	assert.Contains(t, err.Error(), path)
	assert.Equal(t, []string{"ERROR " + err.Error()}, log.lines)
}

func TestARelativeDirectoryIsNotLookedUpInPath(t *testing.T) {
	b := newBench(t, 0)
	b.script(t, "gh-ost-on-startup", "echo here")
	t.Chdir(b.directory)
	t.Setenv("PATH", "/bin:/usr/bin")

	require.NoError(t, NewExecutor(".", 0, b.output, b.log).Run(t.Context(), OnStartup, Environment{}))

	assert.Equal(t, "here\n", b.output.String())
}

func TestTheFirstFailingFileStopsTheOthers(t *testing.T) {
	b := newBench(t, 0)
	b.script(t, "gh-ost-on-validated-1", "echo one")
	failing := b.script(t, "gh-ost-on-validated-2", "echo two; exit 3")
	b.script(t, "gh-ost-on-validated-3", "echo three")

	err := b.Run(t.Context(), OnValidated, Environment{})

	var hookError *HookError
	require.ErrorAs(t, err, &hookError)
	assert.Equal(t, OnValidated, hookError.Event)
	assert.Equal(t, failing, hookError.Path)
	var exit *exec.ExitError
	require.ErrorAs(t, err, &exit)
	assert.Equal(t, 3, exit.ExitCode())
	assert.Equal(t, "one\ntwo\n", b.output.String())
	assert.Equal(t, "ERROR gh-ost-on-validated hook "+failing+" failed: exit status 3", b.log.lines[len(b.log.lines)-1])
}

func TestAMatchThatCannotBeExecutedIsAFailedHook(t *testing.T) {
	b := newBench(t, 0)
	path := b.script(t, "gh-ost-on-startup", "true")
	require.NoError(t, os.Chmod(path, 0o644))
	require.ErrorContains(t, b.Run(t.Context(), OnStartup, Environment{}), "fork/exec "+path+": permission denied")
	require.NoError(t, os.Remove(path))

	require.NoError(t, os.Mkdir(path, 0o755))
	require.ErrorIs(t, b.Run(t.Context(), OnStartup, Environment{}), fs.ErrPermission)
}

func TestHooksSeeTheSnapshotTheProcessEnvironmentAndTheEventsVariables(t *testing.T) {
	b := newBench(t, 0)
	b.script(t, "gh-ost-on-success", `env -0 | grep -z -E '^(GH_OST_|OUTER=)' | sort -z | tr '\0' '|'`)
	t.Setenv("OUTER", "kept")
	t.Setenv("GH_OST_TABLE_NAME", "from outside")

	require.NoError(t, b.Run(t.Context(), OnSuccess, Environment{
		DatabaseName: "my db", TableName: "t", GhostTableName: "_t_gho", OldTableName: "_t_del", DDL: "ADD a INT,\n\tDROP `b'\"$x`",
		Elapsed: 90500 * time.Millisecond, ElapsedCopy: time.Minute, EstimatedRows: 1 << 40, CopiedRows: 7,
		MigratedHost: "p1", InspectedHost: "r1", ExecutingHost: "ops", InspectedLag: 1500 * time.Millisecond, HeartbeatLag: time.Microsecond,
		Progress: 100, ETASeconds: math.MinInt64, Hint: "why", HintOwner: "who", HintToken: "t-1", DryRun: true,
	}, InstantDDLVariable(true), CommandVariable("chunk-size"), StatusVariable("Copy: 1/2"), LastBatchCopyErrorVariable("bad\x00value"),
		Variable("GH_OST_REVERT", "overridden")))

	assert.Equal(t, []string{
		"GH_OST_COMMAND='chunk-size'",
		"GH_OST_COPIED_ROWS=7",
		"GH_OST_DATABASE_NAME=my db",
		"GH_OST_DDL=ADD a INT,\n\tDROP `b'\"$x`",
		"GH_OST_DRY_RUN=true",
		"GH_OST_ELAPSED_COPY_SECONDS=60.000000",
		"GH_OST_ELAPSED_SECONDS=90.500000",
		"GH_OST_ESTIMATED_ROWS=1099511627776",
		"GH_OST_ETA_SECONDS=-9223372036854775808",
		"GH_OST_EXECUTING_HOST=ops",
		"GH_OST_GHOST_TABLE_NAME=_t_gho",
		"GH_OST_HEARTBEAT_LAG=0.000001",
		"GH_OST_HOOKS_HINT=why",
		"GH_OST_HOOKS_HINT_OWNER=who",
		"GH_OST_HOOKS_HINT_TOKEN=t-1",
		"GH_OST_INSPECTED_HOST=r1",
		"GH_OST_INSPECTED_LAG=1.500000",
		"GH_OST_INSTANT_DDL=true",
		"GH_OST_LAST_BATCH_COPY_ERROR=badvalue",
		"GH_OST_MIGRATED_HOST=p1",
		"GH_OST_OLD_TABLE_NAME=_t_del",
		"GH_OST_PROGRESS=100.000000",
		"GH_OST_REVERT=overridden",
		"GH_OST_STATUS='Copy: 1/2'",
		"GH_OST_TABLE_NAME=t",
		"OUTER=kept",
	}, strings.Split(strings.TrimRight(b.output.String(), "|\n"), "|"))
}

func TestOutputIsPassedOnWhileTheHookRuns(t *testing.T) {
	b := newBench(t, 0)
	gate := filepath.Join(b.directory, "gate")
	b.script(t, "gh-ost-on-startup", "echo out; echo err >&2; until [ -e '"+gate+"' ]; do sleep 0.05; done; printf 'no newline'")
	done := make(chan error, 1)
	go func() { done <- b.Run(t.Context(), OnStartup, Environment{}) }()

	require.Eventually(t, func() bool { return b.output.String() == "out\nerr\n" }, 10*time.Second, 10*time.Millisecond)
	require.NoError(t, os.WriteFile(gate, nil, 0o600))
	require.NoError(t, <-done)

	assert.Equal(t, "out\nerr\nno newline\n", b.output.String())
}

func TestMuchOutputArrivesWhole(t *testing.T) {
	b := newBench(t, 0)
	b.script(t, "gh-ost-on-startup", `head -c 300000 /dev/zero | tr '\0' x; echo; seq 1 50000`)

	require.NoError(t, b.Run(t.Context(), OnStartup, Environment{}))

	lines := strings.Split(strings.TrimSuffix(b.output.String(), "\n"), "\n")
	require.Len(t, lines, 50001)
	assert.Len(t, lines[0], 300000)
	assert.Equal(t, "50000", lines[50000])
}

func TestLinesOfConcurrentHooksAreNotMixed(t *testing.T) {
	b := newBench(t, 0)
	b.script(t, "gh-ost-on-status", `for i in {1..200}; do printf 'aaaa'; printf 'aaaa\n'; done`)
	b.script(t, "gh-ost-on-rowcount-complete", `for i in {1..200}; do printf 'bbbb'; printf 'bbbb\n'; done`)
	var running sync.WaitGroup
	for _, event := range []Event{OnStatus, OnRowCountComplete} {
		running.Go(func() { assert.NoError(t, b.Run(t.Context(), event, Environment{})) })
	}
	running.Wait()

	for line := range strings.Lines(b.output.String()) {
		assert.Contains(t, []string{"aaaaaaaa\n", "bbbbbbbb\n"}, line)
	}
}

func TestBrokenOutputNeitherHangsNorFailsTheHook(t *testing.T) {
	b := newBench(t, 0)
	b.output.broken = errors.New("nobody reads")
	b.script(t, "gh-ost-on-before-cut-over", "seq 1 100000")

	require.NoError(t, b.Run(t.Context(), OnBeforeCutOver, Environment{}))

	assert.Contains(t, b.log.lines[len(b.log.lines)-1], "nobody reads")
}

// childOf reads the process id that a script has printed.
func childOf(t *testing.T, output string) int {
	t.Helper()
	pid, err := strconv.Atoi(strings.TrimSpace(output))
	require.NoError(t, err)
	return pid
}

func requireGone(t *testing.T, pid int) {
	t.Helper()
	require.Eventually(t, func() bool {
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		// Nobody may reap orphans in a container: a zombie is gone too.
		return err != nil || strings.Contains(string(stat), ") Z ")
	}, 5*time.Second, 10*time.Millisecond, "process %d lives on", pid)
}

func TestHungHookIsKilledWithItsChildren(t *testing.T) {
	for name, body := range map[string]string{
		"while it waits for a child":                      "sleep 300 & echo $!; wait",
		"after it has closed its output":                  "sleep 300 >&- 2>&- & echo $!; exec >&- 2>&-; wait",
		"though it ignores the signals that ask":          "trap '' TERM INT HUP; sleep 300 & echo $!; while :; do wait; done",
		"after it has left a child that holds its output": "sleep 300 & echo $!",
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, 500*time.Millisecond)
			b.script(t, "gh-ost-on-startup", body)
			b.script(t, "gh-ost-on-startup-later", "echo later")
			started := time.Now()

			err := b.Run(t.Context(), OnStartup, Environment{})

			require.ErrorIs(t, err, ErrTimeout)
			var hookError *HookError
			require.ErrorAs(t, err, &hookError)
			assert.Less(t, time.Since(started), 10*time.Second)
			requireGone(t, childOf(t, b.output.String()))
		})
	}
}

func TestAChildThatHasLeftTheGroupDoesNotHoldUpTheMigration(t *testing.T) {
	b := newBench(t, 300*time.Millisecond)
	b.script(t, "gh-ost-on-startup", "setsid sleep 300 & echo $!; wait")
	started := time.Now()

	require.ErrorIs(t, b.Run(t.Context(), OnStartup, Environment{}), ErrTimeout)

	assert.Less(t, time.Since(started), 10*time.Second)
	require.NoError(t, syscall.Kill(childOf(t, b.output.String()), syscall.SIGKILL))
}

func TestCancellationEndsTheHookAndStartsNoFurtherOne(t *testing.T) {
	b := newBench(t, 0)
	b.script(t, "gh-ost-on-startup", "sleep 300 & echo $!; wait")
	b.script(t, "gh-ost-on-startup-later", "echo later")
	panicked := errors.New("somebody said panic")
	ctx, cancel := context.WithCancelCause(t.Context())
	done := make(chan error, 1)
	go func() { done <- b.Run(ctx, OnStartup, Environment{}) }()
	require.Eventually(t, func() bool { return strings.HasSuffix(b.output.String(), "\n") }, 10*time.Second, 10*time.Millisecond)

	cancel(panicked)

	require.ErrorIs(t, <-done, panicked)
	requireGone(t, childOf(t, b.output.String()))
	require.ErrorIs(t, b.Run(ctx, OnStartup, Environment{}), panicked)
}

func TestAHookWithinItsTimeoutIsNotDisturbed(t *testing.T) {
	b := newBench(t, time.Minute)
	b.script(t, "gh-ost-on-startup", "sleep 0.1; echo done")

	require.NoError(t, b.Run(t.Context(), OnStartup, Environment{}))

	assert.Equal(t, "done\n", b.output.String())
}

func TestAChildInTheBackgroundIsWaitedForWhileItHoldsTheOutput(t *testing.T) {
	b := newBench(t, 0)
	b.script(t, "gh-ost-on-startup", "(sleep 0.3; echo late) & echo early")

	require.NoError(t, b.Run(t.Context(), OnStartup, Environment{}))

	assert.Equal(t, "early\nlate\n", b.output.String())
}
