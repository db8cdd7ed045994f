package testserver

import (
	"context"
	gosql "database/sql"
	"fmt"
	"net"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"
)

// schemas counts the schemas made by this test binary, so that each has a name of its own.
var schemas atomic.Int64

// catchUpTimeout is how long a replica may need to apply what the primary has done.
const catchUpTimeout = 60 * time.Second

// AdminConfig is how to connect over TCP with all privileges. Several statements may stand in one query.
func (s *Server) AdminConfig(schema string) *mysql.Config {
	config := mysql.NewConfig()
	config.User, config.Passwd = s.AdminUser, s.AdminPassword
	config.Net, config.Addr = "tcp", net.JoinHostPort(s.Host, strconv.Itoa(s.Port))
	config.DBName = schema
	config.MultiStatements = true
	config.Timeout = 10 * time.Second
	config.Logger = &mysql.NopLogger{} // tests kill servers: a lost connection is reported by the query that met it
	return config
}

// DB is a pool with all privileges and no default schema, closed when the test ends.
func (s *Server) DB(t testing.TB) *gosql.DB {
	t.Helper()
	return s.SchemaDB(t, "")
}

// SchemaDB is DB with a default schema.
func (s *Server) SchemaDB(t testing.TB, schema string) *gosql.DB {
	t.Helper()
	connector, err := mysql.NewConnector(s.AdminConfig(schema))
	if err != nil {
		t.Fatalf("testserver: connect to %s: %v", s.name, err)
	}
	db := gosql.OpenDB(connector)
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Errorf("testserver: close the pool of %s: %v", s.name, err)
		}
	})
	return db
}

// Exec runs statements with all privileges on a connection of their own. Without args there may be several, separated by
// semicolons. It fails the test if one fails.
func (s *Server) Exec(t testing.TB, query string, args ...any) {
	t.Helper()
	if err := s.exec(t.Context(), query, args...); err != nil {
		t.Fatalf("testserver: %v\nin: %s", err, query)
	}
}

// Schema creates a schema for this test and drops it, with all that the test left in it, when the test ends.
func (s *Server) Schema(t testing.TB) string {
	t.Helper()
	name := schemaName(t.Name(), schemas.Add(1))
	s.Exec(t, "CREATE SCHEMA "+name)
	if !s.shared {
		return name // goes with its server, which the test may have killed by then
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), time.Minute)
		defer cancel()
		if err := s.exec(ctx, "SET lock_wait_timeout = 5; DROP SCHEMA "+name); err != nil {
			t.Errorf("testserver: drop the test's schema: %v (has a session of the test been left open?)", err)
		}
	})
	return name
}

// schemaName turns a test's name into one that needs no quotes and leaves room for what is appended to it.
func schemaName(test string, number int64) string {
	if top, _, ok := strings.Cut(test, "/"); ok {
		test = top
	}
	safe := strings.Map(func(r rune) rune {
		switch {
		case 'a' <= r && r <= 'z', '0' <= r && r <= '9', r == '_':
			return r
		case 'A' <= r && r <= 'Z':
			return r - 'A' + 'a'
		}
		return -1
	}, strings.TrimPrefix(test, "Test"))
	return fmt.Sprintf("t%d_%.24s", number, safe)
}

// CatchUp returns when the replica has applied all that the server has done so far.
func (s *Server) CatchUp(t testing.TB) {
	t.Helper()
	if s.Replica == nil {
		t.Fatalf("testserver: %s has no replica; it was not started with Options.Replica", s.name)
	}
	position, wait := "SELECT @@GLOBAL.gtid_executed", "SELECT WAIT_FOR_EXECUTED_GTID_SET(?, ?)"
	if s.Flavor == MariaDB {
		position, wait = "SELECT @@GLOBAL.gtid_binlog_pos", "SELECT MASTER_GTID_WAIT(?, ?)"
	}
	var executed string
	if err := s.DB(t).QueryRowContext(t.Context(), position).Scan(&executed); err != nil {
		t.Fatalf("testserver: read the position of %s: %v", s.name, err)
	}
	var result gosql.NullInt64
	if err := s.Replica.DB(t).QueryRowContext(t.Context(), wait, executed, catchUpTimeout.Seconds()).Scan(&result); err != nil {
		t.Fatalf("testserver: wait for the replica of %s: %v", s.name, err)
	}
	if !result.Valid || result.Int64 != 0 {
		t.Fatalf("testserver: the replica of %s has not reached %s within %s; does it replicate?", s.name, executed, catchUpTimeout)
	}
}

func (s *Server) exec(ctx context.Context, query string, args ...any) error {
	connector, err := mysql.NewConnector(s.AdminConfig(""))
	if err != nil {
		return fmt.Errorf("connect to %s: %w", s.name, err)
	}
	db := gosql.OpenDB(connector)
	defer db.Close()
	_, err = db.ExecContext(ctx, query, args...)
	return err
}
