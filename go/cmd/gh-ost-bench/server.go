package main

import (
	"context"
	gosql "database/sql"
	"database/sql/driver"
	"fmt"
	"net"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/go-sql-driver/mysql"

	"github.com/github/gh-ost/go/sql"
)

// settings are what the command line says of server and contenders.
type settings struct {
	host, user, password     string
	adminUser, adminPassword string
	port, pid                int
	schema                   string
	binary, peers, more, out string
}

// server is the one that is measured on. Its pool has all privileges.
type server struct {
	*settings
	db      *gosql.DB
	version string
	flavor  string
}

func connect(ctx context.Context, s *settings) (*server, error) {
	config := mysql.NewConfig()
	config.User, config.Passwd = s.adminUser, s.adminPassword
	config.Net, config.Addr = "tcp", net.JoinHostPort(s.host, strconv.Itoa(s.port))
	config.DBName = s.schema
	config.InterpolateParams = true
	config.MultiStatements = true
	connector, err := mysql.NewConnector(config)
	if err != nil {
		return nil, fmt.Errorf("connecting to %s: %w", config.Addr, err)
	}
	srv := &server{settings: s, db: gosql.OpenDB(connector), flavor: "mysql"}
	srv.db.SetMaxIdleConns(16)
	if err := srv.db.QueryRowContext(ctx, "SELECT @@version").Scan(&srv.version); err != nil {
		srv.db.Close()
		return nil, fmt.Errorf("connecting to %s: %w", config.Addr, err)
	}
	if strings.Contains(strings.ToLower(srv.version), "mariadb") {
		srv.flavor = "mariadb"
	}
	if s.pid > 0 {
		if _, err := processorTime(s.pid); err != nil {
			srv.db.Close()
			return nil, fmt.Errorf("%w: --server-pid: %w", errUsage, err)
		}
	}
	return srv, nil
}

func (s *server) exec(ctx context.Context, query string, args ...any) error {
	if _, err := s.db.ExecContext(ctx, query, args...); err != nil {
		return fmt.Errorf("%.60s…: %w", query, err)
	}
	return nil
}

// unlogged runs statements on one session without binary log.
func (s *server) unlogged(ctx context.Context, queries ...string) error {
	return s.alone(ctx, append([]string{"SET SESSION sql_log_bin = 0"}, queries...)...)
}

// alone runs statements on a session of their own, which ends with them: whatever they set is gone then.
func (s *server) alone(ctx context.Context, queries ...string) error {
	conn, err := s.db.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	defer func() { _ = conn.Raw(func(any) error { return driver.ErrBadConn }) }() // keeps the pool from using it again
	for _, query := range queries {
		if _, err := conn.ExecContext(ctx, query); err != nil {
			return fmt.Errorf("%.60s…: %w", query, err)
		}
	}
	return nil
}

// processorTime is what the server has used so far; 0 if its process is not known.
func (s *server) processorTime() time.Duration {
	if s.pid == 0 {
		return 0
	}
	used, err := processorTime(s.pid)
	if err != nil {
		return 0 // the next statement tells what happened to it
	}
	return used
}

const (
	settleInterval = 250 * time.Millisecond
	settleShare    = 0.05 // of one processor
	settleLimit    = 60 * time.Second
)

// settle makes room and waits until the server has done what earlier work has left to it in the background (purge,
// flushing), so that no run pays for the one before.
func (s *server) settle(ctx context.Context) error {
	if err := s.exec(ctx, "FLUSH BINARY LOGS"); err != nil {
		return err
	}
	if err := s.exec(ctx, "PURGE BINARY LOGS BEFORE '2099-01-01 00:00:00'"); err != nil {
		return err
	}
	quiet := 0
	for began, used := time.Now(), s.processorTime(); time.Since(began) < settleLimit && quiet < 3; {
		if err := rest(ctx, settleInterval); err != nil {
			return err
		}
		now := s.processorTime()
		if now-used <= time.Duration(settleShare*float64(settleInterval))+10*time.Millisecond { // a tick is 10 ms
			quiet++
		} else {
			quiet = 0
		}
		used = now
	}
	return nil
}

// dropTables drops a table and all that a contender may have made for it.
func (s *server) dropTables(ctx context.Context, table string) error {
	names := []string{table, ghostOf(table), "_" + table + "_del", "_" + table + "_ghc", "_" + table + "_ghk"}
	for i := range names {
		names[i] = sql.EscapeName(names[i])
	}
	return s.alone(ctx, "SET SESSION lock_wait_timeout = 60", "DROP TABLE IF EXISTS "+strings.Join(names, ", "))
}

func ghostOf(table string) string { return "_" + table + "_gho" }

// hasColumn tells whether the table stands, with that column.
func (s *server) hasColumn(ctx context.Context, table, column string) (bool, error) {
	var found int
	err := s.db.QueryRowContext(ctx, "SELECT COUNT(*) FROM information_schema.columns WHERE table_schema = ? AND table_name = ? AND column_name = ?",
		s.schema, table, column).Scan(&found)
	return found > 0, err
}

// machine describes what was measured on.
func (s *server) machine() machine {
	m := machine{Server: s.version, Flavor: s.flavor, Processors: processors(), Model: processorModel(), Kernel: kernel()}
	if text, err := os.ReadFile("/proc/loadavg"); err == nil {
		m.LoadAtStart, _, _ = strings.Cut(string(text), " ")
	}
	return m
}

// rest waits, or returns the context's error if that ends first.
func rest(ctx context.Context, duration time.Duration) error {
	timer := time.NewTimer(duration)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
