package throttle

import (
	"context"
	gosql "database/sql"
	"errors"
	"fmt"
	"math"
	"strconv"
	"sync"
	"time"
)

// SQLMeter is the Meter of a real migration.
type SQLMeter struct {
	applier   *gosql.DB
	changelog string
	open      func(replica string) (*gosql.DB, error)

	mu       sync.Mutex
	replicas map[string]*gosql.DB
}

// NewSQLMeter measures load and the throttle query on the applier, and the age of the heartbeat in the changelog table
// (qualified and quoted) on control replicas, to which open connects. It owns the pools that open returns.
func NewSQLMeter(applier *gosql.DB, changelog string, open func(replica string) (*gosql.DB, error)) *SQLMeter {
	return &SQLMeter{applier: applier, changelog: changelog, open: open, replicas: map[string]*gosql.DB{}}
}

// Close closes the control replicas' pools.
func (m *SQLMeter) Close() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	var all error
	for replica, pool := range m.replicas {
		all = errors.Join(all, pool.Close())
		delete(m.replicas, replica)
	}
	return all
}

// GlobalStatus reads a status variable. One that does not exist is sql.ErrNoRows, as it is: its text goes into the reason.
func (m *SQLMeter) GlobalStatus(ctx context.Context, name string) (int64, error) {
	var variable, value string
	err := m.applier.QueryRowContext(ctx, "SHOW /* gh-ost */ GLOBAL STATUS WHERE variable_name = ?", name).Scan(&variable, &value)
	if err != nil {
		return 0, err
	}
	return parseNumber(value)
}

// QueryInt runs a query and returns the first column of its first row; NULL is 0.
func (m *SQLMeter) QueryInt(ctx context.Context, query string) (int64, error) {
	var value gosql.NullString
	if err := m.applier.QueryRowContext(ctx, query).Scan(&value); err != nil {
		return 0, err
	}
	if !value.Valid {
		return 0, nil
	}
	return parseNumber(value.String)
}

// ReplicaLag is the age of the heartbeat on a control replica.
func (m *SQLMeter) ReplicaLag(ctx context.Context, replica string) (time.Duration, error) {
	pool, err := m.pool(replica)
	if err != nil {
		return 0, err
	}
	return HeartbeatLag(ctx, pool, m.changelog)
}

// pool returns the replica's pool. Its idle connections go soon: the operator may take the replica off the list any time.
func (m *SQLMeter) pool(replica string) (*gosql.DB, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if pool, known := m.replicas[replica]; known {
		return pool, nil
	}
	pool, err := m.open(replica)
	if err != nil {
		return nil, err
	}
	pool.SetMaxOpenConns(1)
	pool.SetConnMaxIdleTime(10 * time.Second)
	m.replicas[replica] = pool
	return pool, nil
}

// HeartbeatLag reads the heartbeat from the changelog table (qualified and quoted) and returns its age by this machine's
// clock, which also wrote it.
func HeartbeatLag(ctx context.Context, db *gosql.DB, changelog string) (time.Duration, error) {
	var heartbeat string
	err := db.QueryRowContext(ctx, "SELECT /* gh-ost */ value FROM "+changelog+" WHERE hint = 'heartbeat' AND id <= 255").Scan(&heartbeat)
	if errors.Is(err, gosql.ErrNoRows) {
		return 0, fmt.Errorf("no heartbeat in %s yet; is replication running: %w", changelog, err)
	}
	if err != nil {
		return 0, fmt.Errorf("reading the heartbeat from %s: %w", changelog, err)
	}
	written, err := time.Parse(time.RFC3339Nano, heartbeat)
	if err != nil {
		return 0, fmt.Errorf("the heartbeat in %s is not a time: %w", changelog, err)
	}
	return max(time.Since(written), 0), nil
}

// parseNumber reads a server's number. Fractions are cut off; counters beyond the range are as good as its end.
func parseNumber(text string) (int64, error) {
	if number, err := strconv.ParseInt(text, 10, 64); err == nil {
		return number, nil
	}
	number, err := strconv.ParseFloat(text, 64)
	switch {
	case err != nil || math.IsNaN(number):
		return 0, fmt.Errorf("value %q is not a number", text)
	case number >= math.MaxInt64:
		return math.MaxInt64, nil
	case number <= math.MinInt64:
		return math.MinInt64, nil
	}
	return int64(number), nil
}
