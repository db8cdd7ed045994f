package localtests

import (
	"bufio"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// serverIDs gives each run an id of its own to read the binary log with.
var serverIDs atomic.Int64

const firstServerID = 200_000

// tool is a run of the program.
type tool struct {
	t     *testing.T
	log   *logLines
	flag  string // the file that postpones the cut-over
	ended chan struct{}
	err   error // valid once ended
}

// startTool starts the program for the case, with a postponed cut-over.
func (r *trial) startTool() *tool {
	r.t.Helper()
	folder, err := os.MkdirTemp("", "lt") // short: a socket's path is limited to about a hundred characters
	require.NoError(r.t, err)
	r.t.Cleanup(func() { _ = os.RemoveAll(folder) })
	tool := &tool{t: r.t, log: newLogLines(), flag: filepath.Join(folder, "postpone"), ended: make(chan struct{})}
	arguments := append(r.topology.arguments(r.server),
		"--user="+r.server.User, "--password="+r.server.Password,
		"--database="+r.schema, "--table="+r.table, "--alter="+r.alter,
		"--execute", "--verbose",
		"--chunk-size=10", "--chunk-time-millis=0", // many chunks
		"--default-retries=5",
		"--max-lag-millis=10000", "--cut-over-lock-timeout-seconds=10", // other cases run at the same time
		"--postpone-cut-over-flag-file="+tool.flag,
		"--serve-socket-file="+filepath.Join(folder, "s"),
		"--throttle-additional-flag-file="+filepath.Join(folder, "throttle"),
		"--replica-server-id="+strconv.FormatInt(firstServerID+serverIDs.Add(1), 10))
	if r.gtid {
		arguments = append(arguments, "--gtid")
	}
	command := exec.CommandContext(r.ctx, program, append(arguments, r.extraArgs...)...)
	command.Cancel = func() error { return command.Process.Signal(syscall.SIGTERM) }
	command.WaitDelay = 10 * time.Second
	command.Env = append(os.Environ(), "GORACE=halt_on_error=1")
	output, err := command.StderrPipe()
	require.NoError(r.t, err)
	require.NoError(r.t, command.Start())
	go func() {
		defer close(tool.ended)
		for scanner := bufio.NewScanner(output); scanner.Scan(); {
			tool.log.add(scanner.Text())
		}
		tool.err = command.Wait()
	}()
	r.t.Cleanup(func() {
		if tool.running() {
			_ = command.Cancel() // it is waited for below
		}
		<-tool.ended
		if r.t.Failed() {
			r.t.Logf("%s\nlog of the program:\n%s", strings.Join(command.Args, " "), tool.log)
		}
	})
	return tool
}

func (m *tool) running() bool {
	select {
	case <-m.ended:
		return false
	default:
		return true
	}
}

// waitForLine waits until the log has the text, or the program has ended without.
func (m *tool) waitForLine(ctx context.Context, text string) (seen bool) {
	select {
	case <-m.log.expect(text):
		return true
	case <-m.ended:
		return m.log.contains(text)
	case <-ctx.Done():
		require.NoError(m.t, ctx.Err(), "while the log was watched for %q", text)
		return false
	}
}

// mayCutOver ends the postponement.
func (m *tool) mayCutOver() {
	if err := os.Remove(m.flag); !errors.Is(err, os.ErrNotExist) {
		require.NoError(m.t, err)
	}
}

// wait waits for the program's end and returns its failure.
func (m *tool) wait() error {
	<-m.ended
	return m.err
}

// logLines is what the program has logged.
type logLines struct {
	mutex    sync.Mutex
	lines    []string
	expected map[string]chan struct{}
}

func newLogLines() *logLines { return &logLines{expected: map[string]chan struct{}{}} }

func (l *logLines) add(line string) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	l.lines = append(l.lines, line)
	for text, seen := range l.expected {
		if strings.Contains(line, text) {
			close(seen)
			delete(l.expected, text)
		}
	}
}

// expect returns a channel that is closed once a line has the text.
func (l *logLines) expect(text string) <-chan struct{} {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	seen := make(chan struct{})
	if strings.Contains(strings.Join(l.lines, "\n"), text) {
		close(seen)
		return seen
	}
	l.expected[text] = seen
	return seen
}

func (l *logLines) contains(text string) bool {
	return strings.Contains(l.String(), text)
}

func (l *logLines) String() string {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	return strings.Join(l.lines, "\n")
}
