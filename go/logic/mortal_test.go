package logic

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/github/gh-ost/go/internal/testserver"
)

// mortalVariable makes the test binary a process that runs one migration and kills itself at a point of it, as SIGKILL does:
// nothing is said, written or closed any more.
const mortalVariable = "MORTAL_TEST_CHILD"

// mortal is what the variable holds, as JSON.
type mortal struct {
	childServer
	Alter         string
	GTID          bool
	Checkpoint    bool
	Resume        bool
	Revert        string // the old table; "": it migrates
	DropGhost     bool
	OkToDrop      bool
	TriggerSuffix string // "": triggers do not move along
	LogFile       string
	PostponeFile  string

	DieAt string // a step, "copied", "applied" or a phase of the cut-over; "": it does not die
	Times int    // that it comes there before it dies; 0 is 1
}

// The exit codes of such a process, besides 0.
const (
	mortalFailed  = 1
	nothingToHave = 3 // there is no checkpoint to go on from
)

func runMortal(text string) int {
	var plan mortal
	if err := json.Unmarshal([]byte(text), &plan); err != nil {
		panic(err)
	}
	c, log := childContext(plan.childServer, plan.Alter)
	c.DropServeSocket = true
	c.UseGTIDs, c.Checkpoint, c.CheckpointIntervalSeconds = plan.GTID, plan.Checkpoint, 1
	c.Resume, c.OldTableName, c.Revert = plan.Resume, plan.Revert, plan.Revert != ""
	c.InitiallyDropGhostTable, c.OkToDropTable = plan.DropGhost, plan.OkToDrop
	c.PostponeCutOverFlagFile = plan.PostponeFile
	c.IncludeTriggers, c.TriggerSuffix = plan.TriggerSuffix != "", plan.TriggerSuffix
	c.SetChunkSize(100)
	c.ChunkTimeMillis = 0

	m := NewMigrator(c, "test")
	var times atomic.Int64
	die := func(point string) {
		if point == plan.DieAt && times.Add(1) == int64(max(plan.Times, 1)) {
			_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
			select {} // not a step further
		}
	}
	m.milestone, m.seam = die, die
	carryOut := m.Migrate
	if c.Revert {
		carryOut = m.Revert
	}
	err := carryOut()
	_ = os.WriteFile(plan.LogFile, []byte(fmt.Sprintln(log.lines)), 0o600)
	switch {
	case err == nil:
		return 0
	case errors.Is(err, ErrNoCheckpointFound):
		return nothingToHave
	}
	fmt.Fprintln(os.Stderr, err)
	return mortalFailed
}

// mortalRun prepares such processes for the table t of a schema.
func mortalRun(t *testing.T, server *testserver.Server, schema string) mortal {
	return mortal{childServer: newChildServer(t, server, schema), LogFile: filepath.Join(t.TempDir(), "log"),
		Alter: "ADD COLUMN extra int NOT NULL DEFAULT 7", Checkpoint: true}
}

// start starts the process.
func (m mortal) start(t *testing.T) *exec.Cmd {
	plan, err := json.Marshal(m)
	require.NoError(t, err)
	self, err := os.Executable()
	require.NoError(t, err)
	command := exec.Command(self)
	command.Env = append(os.Environ(), mortalVariable+"="+string(plan))
	command.Stderr = os.Stderr
	require.NoError(t, command.Start())
	t.Cleanup(func() { _ = command.Process.Kill(); _ = command.Wait() })
	return command
}

// run runs the process to its end and returns its exit code; killed if it has died.
func (m mortal) run(t *testing.T) (code int) {
	command := m.start(t)
	_ = command.Wait() // the code tells
	if status, ok := command.ProcessState.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return killed
	}
	return command.ProcessState.ExitCode()
}

const killed = -1

// succeed runs the process and requires that it comes to a good end.
func (m mortal) succeed(t *testing.T) {
	t.Helper()
	m.DieAt = ""
	code := m.run(t)
	if code != 0 {
		log, _ := os.ReadFile(m.LogFile)
		require.Zero(t, code, "%s", log)
	}
}
