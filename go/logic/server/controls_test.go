package server

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// fakeMigration is the Controls of a migration that does nothing but remember.
type fakeMigration struct {
	mu                                    sync.Mutex
	chunkSize, dmlBatchSize, maxLagMillis int64
	niceRatio                             float64
	maxLoad, criticalLoad                 string
	query, url, replicas                  string
	throttled, postponed                  bool
	postponeFile                          string
	namedCutOver, namedPanic              bool
	panics                                []error
	status                                func(ctx context.Context, w io.Writer) error // nil: writes HINTS and LINE
}

func newFakeMigration() *fakeMigration {
	return &fakeMigration{chunkSize: 1000, dmlBatchSize: 10, maxLagMillis: 1500, maxLoad: "Threads_running=25", replicas: "db2:3306"}
}

func (m *fakeMigration) WriteStatus(ctx context.Context, w io.Writer) error {
	if m.status != nil {
		return m.status(ctx, w)
	}
	_, err := io.WriteString(w, "HINTS\nLINE\n")
	return err
}

func (m *fakeMigration) WriteStatusLine(_ context.Context, w io.Writer) error {
	_, err := io.WriteString(w, "LINE\n")
	return err
}

func (m *fakeMigration) Table() string               { return "orders" }
func (m *fakeMigration) Coordinates() string         { return "mysql-bin.000007:1234" }
func (m *fakeMigration) ApplierIdentity() Identity   { return Identity{"db1:3306", "9.7.4"} }
func (m *fakeMigration) InspectorIdentity() Identity { return Identity{"db2:3306", "9.7.3"} }
func (m *fakeMigration) RequiresNamedCutOver() bool  { return m.namedCutOver }
func (m *fakeMigration) RequiresNamedPanic() bool    { return m.namedPanic }

func locked[T any](m *fakeMigration, field *T) T {
	m.mu.Lock()
	defer m.mu.Unlock()
	return *field
}

func put[T any](m *fakeMigration, field *T, value T) {
	m.mu.Lock()
	defer m.mu.Unlock()
	*field = value
}

func (m *fakeMigration) ChunkSize() int64           { return locked(m, &m.chunkSize) }
func (m *fakeMigration) SetChunkSize(n int64)       { put(m, &m.chunkSize, n) }
func (m *fakeMigration) DMLBatchSize() int64        { return locked(m, &m.dmlBatchSize) }
func (m *fakeMigration) SetDMLBatchSize(n int64)    { put(m, &m.dmlBatchSize, n) }
func (m *fakeMigration) MaxLagMillis() int64        { return locked(m, &m.maxLagMillis) }
func (m *fakeMigration) SetMaxLagMillis(n int64)    { put(m, &m.maxLagMillis, n) }
func (m *fakeMigration) NiceRatio() float64         { return locked(m, &m.niceRatio) }
func (m *fakeMigration) SetNiceRatio(x float64)     { put(m, &m.niceRatio, x) }
func (m *fakeMigration) MaxLoad() string            { return locked(m, &m.maxLoad) }
func (m *fakeMigration) CriticalLoad() string       { return locked(m, &m.criticalLoad) }
func (m *fakeMigration) ThrottleQuery() string      { return locked(m, &m.query) }
func (m *fakeMigration) SetThrottleQuery(q string)  { put(m, &m.query, q) }
func (m *fakeMigration) ThrottleHTTP() string       { return locked(m, &m.url) }
func (m *fakeMigration) SetThrottleHTTP(url string) { put(m, &m.url, url) }
func (m *fakeMigration) ControlReplicas() string    { return locked(m, &m.replicas) }
func (m *fakeMigration) ThrottleByUser(yes bool)    { put(m, &m.throttled, yes) }

func (m *fakeMigration) SetMaxLoad(list string) error      { return m.setList(&m.maxLoad, list) }
func (m *fakeMigration) SetCriticalLoad(list string) error { return m.setList(&m.criticalLoad, list) }
func (m *fakeMigration) SetControlReplicas(list string) error {
	return m.setList(&m.replicas, list)
}

func (m *fakeMigration) setList(field *string, list string) error {
	if strings.Contains(list, "bad") {
		return fmt.Errorf("cannot parse %q", list)
	}
	put(m, field, list)
	return nil
}

func (m *fakeMigration) PostponeCutOver(path string) error {
	if strings.HasPrefix(path, "/nodir/") {
		return errors.New("cannot create " + path)
	}
	put(m, &m.postponeFile, path)
	return nil
}

func (m *fakeMigration) Unpostpone() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	was := m.postponed
	m.postponed = false
	return was
}

func (m *fakeMigration) Panic(reason error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.panics = append(m.panics, reason)
}

// reportingMigration keeps cut-over reports, too.
type reportingMigration struct {
	*fakeMigration
	report string
}

func (m reportingMigration) CutOverReport() string { return m.report }

// testLog keeps what is logged, with its level.
type testLog struct {
	mu    sync.Mutex
	lines []string
}

func (l *testLog) add(level, format string, args []interface{}) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lines = append(l.lines, level+" "+fmt.Sprintf(format, args...))
}
func (l *testLog) Infof(format string, args ...interface{}) { l.add("INFO", format, args) }
func (l *testLog) Warningf(format string, args ...interface{}) error {
	l.add("WARNING", format, args)
	return nil
}
func (l *testLog) Errorf(format string, args ...interface{}) error {
	l.add("ERROR", format, args)
	return nil
}
func (l *testLog) all() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Join(l.lines, "\n")
}
