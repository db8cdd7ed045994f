package logic

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/github/gh-ost/go/base"
	"github.com/github/gh-ost/go/internal/testserver"
	"github.com/github/gh-ost/go/logic/cutover"
	"github.com/github/gh-ost/go/sql"
)

// childVariable makes the test binary a process that runs one migration and stops at a point of its cut-over, so that
// signals can be sent to it there. It says on its standard output when it is there ("at POINT") and goes on when its
// standard input says so; in the end it tells what became of the migration.
const childVariable = "FAULT_TEST_CHILD"

// childPlan is what the variable holds, as JSON.
type childPlan struct {
	childServer
	Stop string // the point
}

// childServer is where such a process runs its migration.
type childServer struct {
	Host           string
	Port           int
	User, Password string
	Schema, Socket string
	ServerID       uint
}

// newChildServer is for the table t of a schema.
func newChildServer(t *testing.T, server *testserver.Server, schema string) childServer {
	return childServer{server.Host, server.Port, server.User, server.Password, schema, filepath.Join(socketDir(t), "s"), uint(100_000 + nextServerID())}
}

// childContext configures the migration as newMigration does.
func childContext(server childServer, alter string) (*base.MigrationContext, *recordingLogger) {
	c := base.NewMigrationContext()
	log := &recordingLogger{}
	c.Log = log
	c.DatabaseName, c.OriginalTableName, c.AlterStatement = server.Schema, "t", alter
	c.InspectorConnectionConfig.Key.Hostname, c.InspectorConnectionConfig.Key.Port = server.Host, server.Port
	c.InspectorConnectionConfig.User, c.InspectorConnectionConfig.Password = server.User, server.Password
	if err := c.SetConnectionConfig("innodb"); err != nil {
		panic(err)
	}
	c.AllowedRunningOnMaster = true
	c.ReplicaServerId = server.ServerID
	c.ServeSocketFile = server.Socket
	c.ThrottleHTTPIntervalMillis, c.ThrottleHTTPTimeoutMillis = 100, 1000
	return c, log
}

// childEnd is what the process tells in the end, as JSON.
type childEnd struct {
	Outcomes []string
	Error    string
	Slipped  bool
	Log      []string
}

func runChild(text string) int {
	var plan childPlan
	if err := json.Unmarshal([]byte(text), &plan); err != nil {
		panic(err)
	}
	c, log := childContext(plan.childServer, "ADD COLUMN extra int NOT NULL DEFAULT 7")
	stop := make(chan os.Signal, 1)
	signal.Notify(stop, syscall.SIGTERM)
	go func() { <-stop; c.CancelContext() }()

	run := &faultRun{migration: &migration{NewMigrator(c, "test"), log}}
	stopped := false
	run.seam = func(point string) {
		if point == plan.Stop && !stopped {
			stopped = true
			fmt.Println("at " + point)
			_, _ = bufio.NewReader(os.Stdin).ReadString('\n')
		}
	}
	err := run.Migrate()
	end := childEnd{Outcomes: run.outcomes(), Log: log.lines}
	if err != nil {
		var slipped *SlippedWritesError
		end.Error, end.Slipped = err.Error(), errors.As(err, &slipped)
	}
	_ = json.NewEncoder(os.Stdout).Encode(end)
	return 0
}

// child is such a process.
type child struct {
	t       *testing.T
	command *exec.Cmd
	stdin   io.WriteCloser
	lines   chan string
	ended   chan struct{}
}

// startChild starts one for the run's table. It does not outlive the test.
func (r *faultRun) startChild(stop cutover.Phase) *child {
	plan, err := json.Marshal(childPlan{newChildServer(r.t, r.server, r.schema), stop.String()})
	require.NoError(r.t, err)
	self, err := os.Executable()
	require.NoError(r.t, err)
	c := &child{t: r.t, command: exec.Command(self), lines: make(chan string, 10_000), ended: make(chan struct{})}
	c.command.Env = append(os.Environ(), childVariable+"="+string(plan))
	c.command.Stderr = os.Stderr
	c.stdin, err = c.command.StdinPipe()
	require.NoError(r.t, err)
	stdout, err := c.command.StdoutPipe()
	require.NoError(r.t, err)
	require.NoError(r.t, c.command.Start())
	go func() {
		defer close(c.ended)
		defer close(c.lines)
		for reader := bufio.NewReader(stdout); ; {
			line, err := reader.ReadString('\n')
			if err != nil {
				break
			}
			c.lines <- strings.TrimSpace(line)
		}
		_ = c.command.Wait() // its end says nothing that the lines do not
	}()
	r.t.Cleanup(func() { c.signal(syscall.SIGKILL); <-c.ended })
	r.began = time.Now()
	c.wait("at " + stop.String())
	return c
}

// wait returns the first line that begins with the text.
func (c *child) wait(prefix string) string {
	timeout := time.After(time.Minute)
	for {
		select {
		case line, more := <-c.lines:
			require.True(c.t, more, "the process has ended and has not said %q", prefix)
			if strings.HasPrefix(line, prefix) {
				return line
			}
		case <-timeout:
			require.FailNow(c.t, "the process does not say "+prefix)
		}
	}
}

func (c *child) signal(signal syscall.Signal) { _ = c.command.Process.Signal(signal) }

func (c *child) goOn() {
	_, err := io.WriteString(c.stdin, "\n")
	require.NoError(c.t, err)
}

// end waits for what the process tells in the end.
func (c *child) end() (end childEnd) {
	require.NoError(c.t, json.Unmarshal([]byte(c.wait("{")), &end))
	c.t.Cleanup(func() {
		if c.t.Failed() {
			c.t.Log("log of the process:\n" + strings.Join(end.Log, "\n"))
		}
	})
	<-c.ended
	return end
}

// requireNoSessions waits until the server has ended whatever a process has left on it.
func (r *faultRun) requireNoSessions() {
	r.t.Helper()
	require.Eventually(r.t, func() bool { return len(sessionsOf(r.t, r.server)) == 0 }, 20*time.Second, 50*time.Millisecond,
		"the server still has %v", sessionsOf(r.t, r.server))
}

func TestFaultTheProcessIsKilled(t *testing.T) {
	testserver.Both(t, func(t *testing.T, server *testserver.Server) {
		for _, step := range someSteps(cutover.Draining, cutover.Checking, cutover.Unlocking) {
			t.Run(step.String(), func(t *testing.T) {
				r := newFaultRun(t, server, func(c *base.MigrationContext) { c.InitiallyDropGhostTable = true })
				c := r.startChild(step)
				// Where the sentry is gone the RENAME goes on alone, and must stand in its queue for that.
				time.Sleep(50 * time.Millisecond)
				wentOn := step < cutover.Checking // and died up to some milliseconds later, in whatever step
				if wentOn {
					c.goOn()
					time.Sleep(time.Duration(rand.IntN(5000)) * time.Microsecond)
				}
				c.signal(syscall.SIGKILL)
				<-c.ended

				r.requireNoSessions()
				limit := 300 * time.Millisecond
				if wentOn { // it may have died in the hold, in which the server keeps the lock until the RENAME is in its queue
					limit += holdSeconds * time.Second
				}
				r.requireStall(limit)
				if r.isSwapped() {
					assert.True(t, step >= cutover.Proving || wentOn, "it was swapped from %s", step)
					r.load.requireNothingLost(t, "t")
					return
				}
				r.succeed() // another run clears what was left, and goes on
			})
		}
	})
}

func TestFaultTheProcessIsFrozen(t *testing.T) {
	frozen := 5 * time.Second
	if allFaults() {
		frozen = 10 * time.Second
	}
	testserver.Both(t, func(t *testing.T, server *testserver.Server) {
		for _, step := range someSteps(cutover.Draining, cutover.Proving) {
			t.Run(step.String(), func(t *testing.T) {
				r := newFaultRun(t, server)
				c := r.startChild(step)
				c.signal(syscall.SIGSTOP)
				c.goOn()
				time.Sleep(frozen)
				c.signal(syscall.SIGCONT)

				end := c.end()

				limit := idle + 300*time.Millisecond
				if step >= cutover.Proving { // the server has held the lock by itself before
					limit -= holdSeconds * time.Second
				}
				r.requireStall(limit)
				assert.True(t, r.isSwapped())
				if end.Slipped {
					assert.True(t, step == cutover.Dropping || step == cutover.Proving, end.Error)
					return
				}
				require.Empty(t, end.Error)
				r.requireNothingLeft()
				t.Log(end.Outcomes, r.load.WriteWaits(time.Time{}, time.Time{}).Longest)
			})
		}
	})
}

func TestFaultTheProcessIsTerminated(t *testing.T) {
	testserver.Both(t, func(t *testing.T, server *testserver.Server) {
		for _, step := range someSteps(cutover.Draining, cutover.Proving, cutover.Swapping) {
			t.Run(step.String(), func(t *testing.T) {
				r := newFaultRun(t, server)
				c := r.startChild(step)
				c.signal(syscall.SIGTERM)
				time.Sleep(10 * time.Millisecond)
				c.goOn()

				end := c.end()

				assert.NotEmpty(t, end.Error)
				require.Len(t, end.Outcomes, 1)
				assert.Equal(t, r.isSwapped(), end.Outcomes[0] == "swapped", "the outcome that is told is the true one")
				r.requireStall(400 * time.Millisecond)
				r.requireNothingLeft()
			})
		}
	})
}

// requireNothingLeft is requireClean for a migration in another process.
func (r *faultRun) requireNothingLeft() {
	r.t.Helper()
	r.load.requireNothingLost(r.t, "t")
	require.NoError(r.t, r.load.Stats().Err())
	comment, _, err := tables{r.admin}.comment(r.t.Context(), sql.TableName{Schema: r.schema, Name: "_t_del"})
	require.NoError(r.t, err)
	assert.NotEqual(r.t, sentryComment, comment, "no sentry may stay")
	r.requireNoSessions()
}
