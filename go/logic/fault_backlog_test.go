package logic

import (
	"bufio"
	"context"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/github/gh-ost/go/base"
	"github.com/github/gh-ost/go/internal/testserver"
	"github.com/github/gh-ost/go/logic/apply"
	"github.com/github/gh-ost/go/logic/cutover"
	"github.com/github/gh-ost/go/mysql"
)

// command sends a command over the socket and returns the first line of its answer.
func (r *faultRun) command(text string) string {
	conn, err := net.Dial("unix", r.Migrator.context.ServeSocketFile)
	require.NoError(r.t, err)
	defer conn.Close()
	_, err = conn.Write([]byte(text + "\n"))
	require.NoError(r.t, err)
	line, err := bufio.NewReader(conn).ReadString('\n')
	require.NoError(r.t, err)
	return line
}

func (r *faultRun) eventually(within time.Duration, what string, condition func() bool) {
	r.t.Helper()
	require.Eventually(r.t, condition, within, 10*time.Millisecond, what)
}

// holdApplier makes events wait, as a lock on the ghost's rows does. The returned function lets them go on.
func (r *faultRun) holdApplier() (release func()) {
	ctx := context.Background()
	conn, err := r.admin.Conn(ctx)
	require.NoError(r.t, err)
	exec := func(query string) error {
		_, err := conn.ExecContext(ctx, query)
		return err
	}
	require.NoError(r.t, exec("SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ")) // with gaps
	for {
		require.NoError(r.t, exec("BEGIN"))
		err := exec("SELECT COUNT(*) FROM (SELECT * FROM " + r.names.ghost.String() + " FOR UPDATE) locked")
		if !mysql.IsDeadlock(err) {
			require.NoError(r.t, err)
			break
		}
	}
	return func() { _ = exec("ROLLBACK"); _ = conn.Close() }
}

// The second report from the field: hours behind, with a full backlog, an operator commands the cut-over; the flag file
// is removed and put back; later the stream stands still although nothing is left to wait for.
func TestFaultFieldReportTheStreamThatStoodStill(t *testing.T) {
	flagFile := filepath.Join(t.TempDir(), "postpone")
	testserver.Both(t, func(t *testing.T, server *testserver.Server) {
		r := newFaultRun(t, server, lockTimeout(1), func(c *base.MigrationContext) {
			c.PostponeCutOverFlagFile = flagFile
			c.SetDefaultNumRetries(3)
		})
		postponing := r.Migrator.context.IsPostponing
		result := r.start()
		r.eventually(time.Minute, "all is copied and waits for the word", postponing)
		release := r.holdApplier()
		r.eventually(time.Minute, "the backlog is full", func() bool { return r.backlog.Len() >= apply.BacklogCapacity })
		r.eventually(time.Minute, "the events have waited", func() bool { return r.backlog.Age() > 300*time.Millisecond })

		assert.Equal(t, "Unpostponed\n", r.command("unpostpone"))
		time.Sleep(6 * time.Second) // longer than three attempts would take
		assert.Empty(t, r.outcomes(), "no attempt is made that cannot succeed")
		assert.Contains(t, r.gate.WaitsFor(), "behind")
		assert.Empty(t, result, "waiting costs no attempt")

		require.NoError(t, os.Remove(flagFile))
		time.Sleep(200 * time.Millisecond)
		require.NoError(t, os.WriteFile(flagFile, nil, 0o600))
		r.eventually(5*time.Second, "putting the file back is the later wish", postponing)
		release()
		lag := r.Migrator.context.TimeSinceLastHeartbeatOnChangelog
		r.eventually(time.Minute, "the lag goes away", func() bool { return lag() < 500*time.Millisecond })
		time.Sleep(500 * time.Millisecond)
		assert.Empty(t, r.outcomes(), "the file that was put back holds")
		for range 10 {
			before := r.streamer.Coordinates()
			r.eventually(2*time.Second, "the stream moves", func() bool { return before.SmallerThan(r.streamer.Coordinates()) })
		}

		assert.Equal(t, "Unpostponed\n", r.command("unpostpone"))
		require.NoError(t, requireEnd(t, result, time.Minute))
		r.requireSwapped()
		require.NoError(t, os.RemoveAll(flagFile))
	})
}

// After an attempt has failed the request to go on still stands.
func TestFaultARequestToGoOnOutlivesAFailedAttempt(t *testing.T) {
	flagFile := filepath.Join(t.TempDir(), "postpone")
	testserver.Both(t, func(t *testing.T, server *testserver.Server) {
		r := newFaultRun(t, server, func(c *base.MigrationContext) { c.PostponeCutOverFlagFile = flagFile })
		r.at(cutover.Draining, func() { r.kill("CONNECTION", r.lockID()) })
		result := r.start()
		r.eventually(time.Minute, "all is copied and waits for the word", r.Migrator.context.IsPostponing)

		assert.Equal(t, "Unpostponed\n", r.command("unpostpone"))

		require.NoError(t, requireEnd(t, result, time.Minute))
		r.requireSwapped()
		assert.Equal(t, []string{"not swapped", "swapped"}, r.outcomes())
		require.NoError(t, os.RemoveAll(flagFile))
	})
}

func TestFaultAFlagFileThatIsPutBackWhileTheLockIsPreparedWins(t *testing.T) {
	flagFile := filepath.Join(t.TempDir(), "postpone")
	testserver.Both(t, func(t *testing.T, server *testserver.Server) {
		r := newFaultRun(t, server, func(c *base.MigrationContext) {
			c.SetPostponeCutOverFlagFile(flagFile) // without making it
		})
		r.atTimes(cutover.Preparing, 1, func() { assert.NoError(t, os.WriteFile(flagFile, nil, 0o600)) })
		result := r.start()
		r.eventually(time.Minute, "it is held back", r.Migrator.context.IsPostponing)
		assert.Equal(t, []string{"not swapped"}, r.outcomes())

		require.NoError(t, os.Remove(flagFile))

		require.NoError(t, requireEnd(t, result, time.Minute))
		r.requireSwapped()
		assert.False(t, r.log.contains("attempt=2"), "being held back costs no attempt")
	})
}
