package main

import (
	"bytes"
	gosql "database/sql"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/github/gh-ost/go/internal/testserver"
)

// place is a schema of its own on a server, with a table t to migrate.
type place struct {
	t      *testing.T
	server *testserver.Server
	schema string
	db     *gosql.DB
	dir    string // short, for sockets
}

func newPlace(t *testing.T, server *testserver.Server) *place {
	t.Helper()
	dir, err := os.MkdirTemp("", "gho")
	require.NoError(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	schema := server.Schema(t)
	return &place{t, server, schema, server.SchemaDB(t, schema), dir}
}

// onBoth runs a test at a place on each server.
func onBoth(t *testing.T, test func(p *place)) {
	t.Helper()
	testserver.Both(t, func(t *testing.T, server *testserver.Server) {
		t.Parallel()
		test(newPlace(t, server))
	})
}

const rowsOfT = "WITH RECURSIVE s (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s WHERE n < 500) SELECT n, n, REPEAT('x', n % 50) FROM s"

// createT makes a table of 500 rows.
func (p *place) createT() {
	p.exec("CREATE TABLE t (id int NOT NULL AUTO_INCREMENT PRIMARY KEY, n int NOT NULL, body varchar(100)) ENGINE=InnoDB",
		"INSERT INTO t "+rowsOfT)
}

func (p *place) exec(statements ...string) {
	p.t.Helper()
	for _, statement := range statements {
		_, err := p.db.Exec(statement)
		require.NoError(p.t, err, "%s", statement)
	}
}

// tables lists what the schema holds, views and triggers too, with the tables' definitions.
func (p *place) tables() []string {
	p.t.Helper()
	var all []string
	for _, query := range []string{
		"SELECT CONCAT('table ', table_name) FROM information_schema.tables WHERE table_schema = DATABASE()",
		"SELECT CONCAT('column ', table_name, '.', column_name, ' ', column_type) FROM information_schema.columns WHERE table_schema = DATABASE()",
		"SELECT CONCAT('trigger ', trigger_name) FROM information_schema.triggers WHERE trigger_schema = DATABASE()",
	} {
		rows, err := p.db.Query(query)
		require.NoError(p.t, err)
		for rows.Next() {
			var text string
			require.NoError(p.t, rows.Scan(&text))
			all = append(all, text)
		}
		require.NoError(p.t, rows.Err())
		require.NoError(p.t, rows.Close())
	}
	slices.Sort(all)
	return all
}

func (p *place) hasTable(name string) bool { return slices.Contains(p.tables(), "table "+name) }

func (p *place) number(query string) (number int) {
	p.t.Helper()
	require.NoError(p.t, p.db.QueryRow(query).Scan(&number), "%s", query)
	return number
}

var serverIDs atomic.Int64

// arguments are those of a real migration of t, on the server that is given itself.
func (p *place) arguments(more ...string) []string {
	return append([]string{
		"--host=" + p.server.Host, "--port=" + strconv.Itoa(p.server.Port), "--user=" + p.server.User, "--password=" + p.server.Password,
		"--database=" + p.schema, "--table=t", "--alter=ADD COLUMN extra int NOT NULL DEFAULT 7", "--allow-on-master", "--execute",
		"--serve-socket-file=" + p.socket(), "--throttle-additional-flag-file=", fmt.Sprintf("--replica-server-id=%d", 200_000+serverIDs.Add(1)),
	}, more...)
}

func (p *place) socket() string { return filepath.Join(p.dir, "s") }

func (p *place) file(name string) string { return filepath.Join(p.dir, name) }

func (p *place) touch(path string) {
	p.t.Helper()
	require.NoError(p.t, os.WriteFile(path, nil, 0o600))
}

// run runs the command to its end.
func (p *place) run(more ...string) outcome {
	p.t.Helper()
	return p.start(more...).wait()
}

// process is the command while it runs.
type process struct {
	p       *place
	command *exec.Cmd
	stdout  *output
	stderr  *output
	ended   chan struct{}
}

// output keeps what is written and can be looked at meanwhile.
type output struct {
	mutex sync.Mutex
	text  bytes.Buffer
}

func (o *output) Write(p []byte) (int, error) {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	return o.text.Write(p)
}

func (o *output) String() string {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	return o.text.String()
}

// start starts the command: this test binary, as it is the command too.
func (p *place) start(more ...string) *process {
	p.t.Helper()
	run := &process{p: p, stdout: &output{}, stderr: &output{}, ended: make(chan struct{})}
	run.command = exec.Command(os.Args[0], p.arguments(more...)...) //nolint:gosec // this test binary
	run.command.Env = append(os.Environ(), asCommand+"=real")
	run.command.Stdout, run.command.Stderr = run.stdout, run.stderr
	require.NoError(p.t, run.command.Start())
	go func() {
		_ = run.command.Wait() // the exit code tells
		close(run.ended)
	}()
	p.t.Cleanup(func() {
		_ = run.command.Process.Kill()
		<-run.ended
		if p.t.Failed() {
			p.t.Logf("%s\nstdout:\n%s\nstderr:\n%s", strings.Join(more, " "), run.stdout, run.stderr)
		}
	})
	return run
}

// wait waits for the end.
func (r *process) wait() outcome {
	r.p.t.Helper()
	select {
	case <-r.ended:
	case <-time.After(60 * time.Second):
		require.FailNow(r.p.t, "the command has not ended within 60 s")
	}
	return outcome{r.command.ProcessState.ExitCode(), r.stdout.String(), r.stderr.String()}
}

func (r *process) signal(signal syscall.Signal) {
	r.p.t.Helper()
	require.NoError(r.p.t, r.command.Process.Signal(signal))
}

// logs waits for a text in the log.
func (r *process) logs(text string) {
	r.p.t.Helper()
	r.waitFor(text, func() bool { return strings.Contains(r.stderr.String(), text) })
}

// states waits until the status has the text.
func (r *process) states(text string) {
	r.p.t.Helper()
	r.waitFor(text, func() bool {
		reply, err := r.ask("sup")
		return err == nil && strings.Contains(reply, text)
	})
}

func (r *process) waitFor(what string, reached func() bool) {
	r.p.t.Helper()
	for deadline := time.Now().Add(30 * time.Second); !reached(); time.Sleep(2 * time.Millisecond) {
		select {
		case <-r.ended:
			if !reached() {
				require.FailNow(r.p.t, "the command ended before: "+what)
			}
			return
		default:
		}
		if time.Now().After(deadline) {
			require.FailNow(r.p.t, "not reached within 30 s: "+what)
		}
	}
}

// tell sends a line to the socket and returns the reply.
func (r *process) tell(line string) string {
	r.p.t.Helper()
	reply, err := r.ask(line)
	require.NoError(r.p.t, err, "%s", line)
	return reply
}

func (r *process) ask(line string) (string, error) {
	connection, err := net.Dial("unix", r.p.socket())
	if err != nil {
		return "", err
	}
	defer connection.Close()
	if err := connection.SetDeadline(time.Now().Add(10 * time.Second)); err != nil {
		return "", err
	}
	if _, err := io.WriteString(connection, line+"\n"); err != nil {
		return "", err
	}
	reply, err := io.ReadAll(connection)
	return string(reply), err
}

// requireReleased makes sure that nothing of a run that has ended is felt by others: the table is writable, no session and
// no lock is left, the socket is gone.
func (p *place) requireReleased() {
	p.t.Helper()
	started := time.Now()
	p.exec("SET lock_wait_timeout = 5", "UPDATE t SET n = n + 1 WHERE id = 1")
	assert.Less(p.t, time.Since(started), 3*time.Second)
	assert.NoFileExists(p.t, p.socket())
	assert.Eventually(p.t, func() bool {
		return p.number("SELECT IS_FREE_LOCK('gh-ost::"+p.schema+".t')") == 1
	}, 5*time.Second, 20*time.Millisecond, "the migration lock is free")
}
