package logic

import (
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/github/gh-ost/go/base"
	"github.com/github/gh-ost/go/internal/ledger"
	"github.com/github/gh-ost/go/internal/testserver"
)

// ask sends one line as a client does and returns the whole reply.
func ask(t *testing.T, network, address, text string) string {
	t.Helper()
	connection, err := net.DialTimeout(network, address, 10*time.Second)
	require.NoError(t, err)
	defer connection.Close()
	require.NoError(t, connection.SetDeadline(time.Now().Add(20*time.Second)))
	_, err = io.WriteString(connection, text)
	require.NoError(t, err)
	reply, err := io.ReadAll(connection)
	require.NoError(t, err)
	return string(reply)
}

var (
	liveStatusLine = regexp.MustCompile(`(?m)^Copy: \d+/\d+ \d+\.\d%; Applied: \d+; Backlog: \d+/1000; Time: \S+\(total\), \S+\(copy\); streamer: \S+; ` +
		`Lag: \d+\.\d\ds, HeartbeatLag: \d+\.\d\ds, State: (.+); ETA: \S+\n\z`)
	liveHints = regexp.MustCompile("(?m)\\A(# Migrating `[^`]+`\\.`t`; Ghost table is `[^`]+`\\.`_t_gho`\n" +
		"# Migrating \\S+:\\d+; inspecting \\S+:\\d+; executing on \\S+\n# Migration started at .+\n# chunk-size: \\d+; max-lag-millis: \\d+ms; dml-batch-size: \\d+; max-load: .*\n)")
)

// What a reply is made of, as in the documentation of the commands.
const (
	hintsAndStatus = "\x00SH" // hint block, then status line
	statusAlone    = "\x00S"  // status line
	noteAndStatus  = "\x00T"  // note, hint block, status line
)

// liveStep is one command and what must come of it.
type liveStep struct {
	line  string
	reply string // a class above, else the whole reply; a leading ~ makes it a part of the reply
	state string // that the migration comes to, as its status line tells; empty: whatever
}

func requireReply(t *testing.T, wanted, reply string) {
	t.Helper()
	part, isPart := strings.CutPrefix(wanted, "~")
	switch {
	case wanted == hintsAndStatus:
		require.Regexp(t, liveHints, reply)
		require.Regexp(t, liveStatusLine, reply)
	case wanted == statusAlone:
		require.Regexp(t, liveStatusLine, reply)
	case wanted == noteAndStatus:
		require.True(t, strings.HasPrefix(reply, "# Note: "), reply)
		_, rest, _ := strings.Cut(reply, "\n")
		requireReply(t, hintsAndStatus, rest)
	case isPart:
		require.Contains(t, reply, part)
	default:
		require.Equal(t, wanted, reply)
	}
}

// liveMigration is one that is postponed under load, takes commands, and needs tables to be named.
func liveMigration(t *testing.T, server *testserver.Server, hooks base.Hooks) (*migration, *load, string) {
	schema := server.Schema(t)
	load := startLoad(t, server, schema, "t", ledger.Options{Rows: 1000, Writers: 3})
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	port := listener.Addr().(*net.TCPAddr).Port
	require.NoError(t, listener.Close())
	m := newMigration(t, server, schema, "t", "ADD COLUMN extra int NOT NULL DEFAULT 7", func(c *base.MigrationContext) {
		c.PostponeCutOverFlagFile = filepath.Join(t.TempDir(), "postpone")
		c.ThrottleFlagFile = filepath.Join(t.TempDir(), "throttle")
		c.ServeTCPHost, c.ServeTCPPort = "127.0.0.1", int64(port)
		c.ForceNamedCutOverCommand, c.ForceNamedPanicCommand = true, true
		c.Hooks = hooks
	})
	return m, load, fmt.Sprintf("127.0.0.1:%d", port)
}

func (m *migration) awaitState(t *testing.T, state string) {
	t.Helper()
	require.Eventually(t, func() bool {
		last := ask(t, "unix", m.context.ServeSocketFile, "sup\n")
		match := liveStatusLine.FindStringSubmatch(last)
		return match != nil && strings.HasPrefix(match[1], state)
	}, 10*time.Second, 20*time.Millisecond, "state %q", state)
}

// take takes the steps, every fifth over TCP.
func (m *migration) take(t *testing.T, steps []liveStep, tcp string) {
	t.Helper()
	for i, step := range steps {
		network, address := "unix", m.context.ServeSocketFile
		if i%5 == 4 {
			network, address = "tcp", tcp
		}
		reply := ask(t, network, address, step.line+"\n")
		t.Logf("%q: %.60q", step.line, reply)
		requireReply(t, step.reply, reply)
		if step.state != "" {
			m.awaitState(t, step.state)
		}
	}
}

func TestEveryCommandOnALiveMigration(t *testing.T) {
	testserver.Both(t, func(t *testing.T, server *testserver.Server) {
		var answer atomic.Int64 // of the HTTP check
		answer.Store(http.StatusOK)
		check := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(int(answer.Load())) }))
		defer check.Close()
		hooks := newHookRecorder()
		m, load, tcp := liveMigration(t, server, hooks)
		c := m.context
		// It stands still behind its copy until the hook lets it go on.
		copied, goOn := make(chan struct{}), make(chan struct{})
		hooks.at["row-copy-complete"] = func() error { close(copied); <-goOn; return nil }
		result := m.start()
		<-copied
		elsewhere := filepath.Join(t.TempDir(), "postpone elsewhere")
		const goesOn, postponed = "migrating", "postponing cut-over"

		steps := []liveStep{
			{"help", "~available commands:\n", ""},
			{"status", hintsAndStatus, goesOn},
			{"info", hintsAndStatus, ""},
			{"status=anything", hintsAndStatus, ""},
			{"sup", statusAlone, ""},
			{"sup=?", statusAlone, ""},
			{"coordinates=?", "~binlog.", ""},
			{"coordinates=binlog.000001:4", "coordinates are read-only\n", ""},
			{"applier", fmt.Sprintf("Host: %s:%d, Version: %s\n", c.GetApplierHostname(), server.Port, server.Version), ""},
			{"inspector=?", fmt.Sprintf("Host: %s:%d, Version: %s\n", c.GetInspectorHostname(), server.Port, server.Version), ""},
			{"cut-over-report", "~no cut-over has been attempted yet", ""},
			{"", "~unknown command", ""},
			{"\x01\x02", "~unknown command", ""},
			{"Status", "unknown command: Status\n", ""},
			{"chunk-sizes=5", "unknown command: chunk-sizes\n", ""},

			{"chunk-size=?", "1000\n", ""},
			{"chunk-size=5", hintsAndStatus, ""},
			{"chunk-size=?", "10\n", ""},
			{" chunk-size = \"250\" ", hintsAndStatus, ""},
			{"chunk-size=?", "250\n", ""},
			{"chunk-size=many", "~is not an integer", ""},
			{"chunk-size", "~is not an integer", ""},
			{"chunk-size=?", "250\n", ""},
			{"dml-batch-size=5000", hintsAndStatus, ""},
			{"dml-batch-size=?", "1000\n", ""},
			{"dml-batch-size=1.5", "~is not an integer", ""},
			{"max-lag-millis=1", hintsAndStatus, ""},
			{"max-lag-millis=?", "100\n", ""},
			{"max-lag-millis=5000", hintsAndStatus, ""},
			{"nice-ratio=1.5", hintsAndStatus, ""},
			{"nice-ratio=?", "1.5\n", ""},
			{"nice-ratio=NaN", "~nice-ratio", ""},
			{"nice-ratio=0", hintsAndStatus, ""},
			{"nice-ratio=?", "0\n", ""},

			{"max-load=?", "\n", ""},
			{"max-load=Threads_running=100000,Threads_connected=100000", hintsAndStatus, ""},
			{"max-load=?", "Threads_connected=100000,Threads_running=100000\n", ""},
			{"max-load=Threads_running", "~max-load", ""},
			{"max-load=?", "Threads_connected=100000,Threads_running=100000\n", ""},
			{"throttle=t", noteAndStatus, "throttled, commanded by user"},
			{"no-throttle=other", "user commanded 'no-throttle' on other, but migrated table is t; ignoring request\n", "throttled, commanded by user"},
			{"no-throttle=t", hintsAndStatus, goesOn},
			{"throttle=other", "user commanded 'throttle' on other, but migrated table is t; ignoring request\n", goesOn},
			{"pause=?", "user commanded 'throttle' on ?, but migrated table is t; ignoring request\n", ""},
			{"suspend", noteAndStatus, "throttled, commanded by user"},
			{"continue", hintsAndStatus, goesOn},
			{"max-load=Uptime=1", hintsAndStatus, "throttled, max-load Uptime="},
			{"max-load=nosuch=1", hintsAndStatus, "throttled, nosuch sql: no rows in result set"},
			{"max-load=", hintsAndStatus, goesOn},
			{"critical-load=?", "\n", ""},
			{"critical-load=Threads_running=a", "~critical-load", ""},
			{"critical-load=Threads_running=100000", hintsAndStatus, ""},
			{"critical-load=?", "Threads_running=100000\n", ""},
			{"critical-load=", hintsAndStatus, ""},
			{"throttle-query=SELECT 1", noteAndStatus, "throttled, throttle-query"},
			{"throttle-query=?", "SELECT 1\n", ""},
			{"throttle-query=SELECT 0 = 1", noteAndStatus, goesOn},
			{"throttle-query=?", "SELECT 0 = 1\n", ""},
			{"throttle-query=", noteAndStatus, ""},
			{"throttle-http=" + check.URL, noteAndStatus, goesOn},
			{"throttle-http=?", check.URL + "\n", ""},
			{"throttle-control-replicas=127.0.0.1:1", "~127.0.0.1:1\n", "throttled, 127.0.0.1:1 "},
			{"throttle-control-replicas=?", "127.0.0.1:1\n", ""},
			{"throttle-control-replicas=[nonsense", "~throttle-control-replicas", ""},
			{fmt.Sprintf("throttle-control-replicas=127.0.0.1:%d", server.Port), fmt.Sprintf("~127.0.0.1:%d\n", server.Port), goesOn},
			{"throttle-control-replicas=", "~\n# Migrating", ""},
			{"replication-lag-query=?", "~deprecated", ""},
			{"replication-lag-query=SELECT 1", "~deprecated", ""},

			{"cpu-profile=?", "~invalid duration", ""},
			{"cpu-profile=10ms,zip", "~zip is neither gzip nor block", ""},
			{"unpostpone=t", "The cut-over is not being postponed now; nothing to do\n", ""},
		}
		last := []liveStep{
			{"postpone-cut-over-flag-file", "user commanded 'postpone-cut-over-flag-file' without specifying file path\n", ""},
			{"postpone-cut-over-flag-file=/no/such/directory/file", "~/no/such/directory", postponed},
			{"postpone-cut-over-flag-file=" + elsewhere, "~Postponed\n# Migrating", postponed},
			{"unpostpone", "user commanded 'unpostpone' without specifying table name, but --force-named-cut-over is set\n", postponed},
			{"cut-over=other", "user commanded 'unpostpone' on other, but migrated table is t; ignoring request\n", postponed},
			{"panic", "user commanded 'panic' without specifying table name, but --force-named-panic is set\n", ""},
			{"panic=other", "user commanded 'panic' on other, but migrated table is t; ignoring request\n", postponed},
		}
		m.take(t, steps, tcp)

		// What the HTTP check answers counts, also at once.
		answer.Store(http.StatusTooManyRequests)
		m.awaitState(t, "throttled, Too many requests (http=429)")
		requireReply(t, noteAndStatus, ask(t, "unix", c.ServeSocketFile, "throttle-http=\n"))
		m.awaitState(t, goesOn)

		// The flag file is one more reason, which no command can lift.
		require.NoError(t, base.TouchFile(c.ThrottleFlagFile))
		m.awaitState(t, "throttled, flag-file")
		requireReply(t, "~# throttle-flag-file: "+c.ThrottleFlagFile+" [set]\n", ask(t, "unix", c.ServeSocketFile, "no-throttle\n"))
		m.awaitState(t, "throttled, flag-file")
		require.NoError(t, os.Remove(c.ThrottleFlagFile))
		m.awaitState(t, goesOn)

		close(goOn)
		m.awaitState(t, postponed)
		m.take(t, last, tcp)
		assert.FileExists(t, elsewhere)

		// Only the first line counts, and the end of input is as good as the end of a line.
		requireReply(t, "250\n", ask(t, "unix", c.ServeSocketFile, "chunk-size=?\nchunk-size=20\npanic=t\n"))
		requireReply(t, "250\n", askWithoutLineEnd(t, c.ServeSocketFile, "chunk-size=?"))

		profile := ask(t, "unix", c.ServeSocketFile, "cpu-profile=50ms,gzip,block\n")
		_, err := base64.StdEncoding.DecodeString(profile)
		require.NoError(t, err)

		// A hook may forbid any line, queries too.
		hooks.set("interactive-command", func() error { return errors.New("not on a Friday") })
		requireReply(t, "~not on a Friday", ask(t, "unix", c.ServeSocketFile, "chunk-size=20\n"))
		requireReply(t, "~not on a Friday", ask(t, "unix", c.ServeSocketFile, "sup\n"))
		hooks.set("interactive-command", nil)
		requireReply(t, "250\n", ask(t, "unix", c.ServeSocketFile, "chunk-size=?\n"))

		var clients sync.WaitGroup
		for i := range 20 {
			clients.Go(func() {
				_ = ask(t, "unix", c.ServeSocketFile, "dml-batch-size="+strconv.Itoa(i+1)+"\n")
			})
		}
		clients.Wait()
		require.False(t, c.IsCutOverComplete())

		requireReply(t, "~Unpostponed\n# Migrating", ask(t, "unix", c.ServeSocketFile, "cut-over=t\n"))

		require.NoError(t, requireEnd(t, result, time.Minute))
		load.requireNothingLost(t, "t")
		assert.NoFileExists(t, c.ServeSocketFile)
		assert.FileExists(t, elsewhere, "flag files are the user's")
		for _, line := range []string{"chunk-size=5", "throttle=t", "max-load="} {
			assert.True(t, m.log.contains("interactive command: "+line), "changes are logged: %s", line)
		}
	})
}

func askWithoutLineEnd(t *testing.T, socket, text string) string {
	t.Helper()
	connection, err := net.DialTimeout("unix", socket, 10*time.Second)
	require.NoError(t, err)
	defer connection.Close()
	_, err = io.WriteString(connection, text)
	require.NoError(t, err)
	require.NoError(t, connection.(*net.UnixConn).CloseWrite())
	reply, err := io.ReadAll(connection)
	require.NoError(t, err)
	return string(reply)
}

func TestPanicEndsALiveMigrationAndCleansNothingUp(t *testing.T) {
	testserver.Both(t, func(t *testing.T, server *testserver.Server) {
		hooks := newHookRecorder()
		m, load, _ := liveMigration(t, server, hooks)
		result := m.start()
		require.Eventually(t, func() bool { return m.context.IsPostponing() }, 20*time.Second, time.Millisecond)
		asked := time.Now()

		reply := ask(t, "unix", m.context.ServeSocketFile, "panic=t\n")

		assert.True(t, strings.HasPrefix(reply, "user commanded 'panic'"), reply)
		require.ErrorContains(t, requireEnd(t, result, 20*time.Second), "user commanded 'panic'")
		assert.Less(t, time.Since(asked), 5*time.Second)
		assert.True(t, m.log.contains("ERROR migration aborted: user commanded 'panic'"))
		assert.NoFileExists(t, m.context.ServeSocketFile)
		load.stop()
		assert.Equal(t, []string{"_t_ghc", "_t_gho", "t"}, tablesOf(t, load.db, m.context.DatabaseName))
	})
}
