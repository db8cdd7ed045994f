package logic

import (
	"context"
	gosql "database/sql"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/openark/golib/log"
	"github.com/stretchr/testify/require"

	"github.com/github/gh-ost/go/base"
	"github.com/github/gh-ost/go/internal/ledger"
	"github.com/github/gh-ost/go/internal/testserver"
)

func TestMain(m *testing.M) {
	if plan := os.Getenv(childVariable); plan != "" {
		os.Exit(runChild(plan))
	}
	if plan := os.Getenv(mortalVariable); plan != "" {
		os.Exit(runMortal(plan))
	}
	os.Exit(testserver.Main(m, testserver.Options{}))
}

// recordingLogger keeps what a migration logs, and shows it when its test has failed.
type recordingLogger struct {
	mutex sync.Mutex
	lines []string
}

func newRecordingLogger(t *testing.T) *recordingLogger {
	l := &recordingLogger{}
	t.Cleanup(func() {
		if t.Failed() {
			l.mutex.Lock()
			defer l.mutex.Unlock()
			t.Log("log of the migration:\n" + strings.Join(l.lines, "\n"))
		}
	})
	return l
}

func (l *recordingLogger) add(level, text string) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	l.lines = append(l.lines, time.Now().Format("15:04:05.000 ")+level+" "+text)
}

// contains tells whether some line has the text.
func (l *recordingLogger) contains(text string) bool {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	for _, line := range l.lines {
		if strings.Contains(line, text) {
			return true
		}
	}
	return false
}

func (l *recordingLogger) Debug(args ...interface{}) { l.add("DEBUG", fmt.Sprint(args...)) }
func (l *recordingLogger) Debugf(f string, args ...interface{}) {
	l.add("DEBUG", fmt.Sprintf(f, args...))
}
func (l *recordingLogger) Info(args ...interface{}) { l.add("INFO", fmt.Sprint(args...)) }
func (l *recordingLogger) Infof(f string, args ...interface{}) {
	l.add("INFO", fmt.Sprintf(f, args...))
}
func (l *recordingLogger) Warning(args ...interface{}) error {
	return l.err("WARNING", fmt.Sprint(args...))
}
func (l *recordingLogger) Warningf(f string, args ...interface{}) error {
	return l.err("WARNING", fmt.Sprintf(f, args...))
}
func (l *recordingLogger) Error(args ...interface{}) error {
	return l.err("ERROR", fmt.Sprint(args...))
}
func (l *recordingLogger) Errorf(f string, args ...interface{}) error {
	return l.err("ERROR", fmt.Sprintf(f, args...))
}
func (l *recordingLogger) Errore(err error) error {
	if err != nil {
		l.add("ERROR", err.Error())
	}
	return err
}
func (l *recordingLogger) Fatal(args ...interface{}) error {
	return l.err("FATAL", fmt.Sprint(args...))
}
func (l *recordingLogger) Fatalf(f string, args ...interface{}) error {
	return l.err("FATAL", fmt.Sprintf(f, args...))
}
func (l *recordingLogger) Fatale(err error) error  { return l.Errore(err) }
func (l *recordingLogger) SetLevel(log.LogLevel)   {}
func (l *recordingLogger) SetPrintStackTrace(bool) {}
func (l *recordingLogger) err(level, text string) error {
	l.add(level, text)
	return fmt.Errorf("%s", text)
}

// migration is one run under test.
type migration struct {
	*Migrator
	log *recordingLogger
}

// newMigration prepares the migration of a table on the server itself, as a user would with --allow-on-master --execute.
func newMigration(t *testing.T, server *testserver.Server, schema, table, alter string, options ...func(*base.MigrationContext)) *migration {
	c := base.NewMigrationContext()
	logger := newRecordingLogger(t)
	c.Log = logger
	c.DatabaseName, c.OriginalTableName, c.AlterStatement = schema, table, alter
	c.InspectorConnectionConfig.Key.Hostname, c.InspectorConnectionConfig.Key.Port = server.Host, server.Port
	c.InspectorConnectionConfig.User, c.InspectorConnectionConfig.Password = server.User, server.Password
	require.NoError(t, c.SetConnectionConfig("innodb"))
	c.AllowedRunningOnMaster = true
	c.ReplicaServerId = uint(100_000 + nextServerID())
	c.ServeSocketFile = filepath.Join(socketDir(t), "s")
	c.ThrottleHTTPIntervalMillis, c.ThrottleHTTPTimeoutMillis = 100, 1000
	for _, option := range options {
		option(c)
	}
	return &migration{NewMigrator(c, "test"), logger}
}

// socketDir is a short path: a socket's is limited to about a hundred characters.
func socketDir(t *testing.T) string {
	dir, err := os.MkdirTemp("", "gho")
	require.NoError(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

var serverIDs struct {
	sync.Mutex
	last int
}

func nextServerID() int {
	serverIDs.Lock()
	defer serverIDs.Unlock()
	serverIDs.last++
	return serverIDs.last
}

// start runs the migration and returns where its result comes.
func (m *migration) start() <-chan error {
	result := make(chan error, 1)
	go func() { result <- m.Migrate() }()
	return result
}

// requireEnd waits for a result and returns it.
func requireEnd(t *testing.T, result <-chan error, within time.Duration) error {
	select {
	case err := <-result:
		return err
	case <-time.After(within):
		require.FailNow(t, "the migration has not ended", "within %s", within)
		return nil
	}
}

// tablesOf lists a schema's tables.
func tablesOf(t *testing.T, db *gosql.DB, schema string) []string {
	rows, err := db.Query("SELECT table_name FROM information_schema.tables WHERE table_schema = ?", schema)
	require.NoError(t, err)
	defer rows.Close()
	var names []string
	for rows.Next() {
		var name string
		require.NoError(t, rows.Scan(&name))
		names = append(names, name)
	}
	require.NoError(t, rows.Err())
	slices.Sort(names) // the servers' orders differ
	return names
}

// load is a ledger whose writers run until stop.
type load struct {
	*ledger.Ledger
	db   *gosql.DB
	stop func()
}

// startLoad creates a table and lets writers and readers loose on it.
func startLoad(t *testing.T, server *testserver.Server, schema, table string, options ledger.Options) *load {
	options.Schema = schema
	db := server.SchemaDB(t, schema)
	l := ledger.New(db, table, options)
	ctx, cancel := context.WithCancel(t.Context())
	require.NoError(t, l.Create(ctx))
	ended := make(chan error, 1)
	go func() { ended <- l.Run(ctx) }()
	var once sync.Once
	stop := func() { once.Do(func() { cancel(); require.NoError(t, <-ended) }) }
	t.Cleanup(stop)
	return &load{l, db, stop}
}

// requireNothingLost stops the writers and compares.
func (l *load) requireNothingLost(t *testing.T, table string) {
	l.stop()
	report, err := l.Verify(t.Context(), nil, table)
	require.NoError(t, err)
	require.NoError(t, report.Err(), report.String())
	stats := l.Stats()
	require.Zero(t, stats.NoTable, "the table must exist at every moment: %v", stats.Samples)
	require.Zero(t, stats.Contradictions, "%v", stats.ContradictionSamples)
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for key := range m {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}
