package testserver

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"
)

// Flavor is whose server it is.
type Flavor string

// The flavors that the project is tested with.
const (
	MySQL   Flavor = "mysql"
	MariaDB Flavor = "mariadb"
)

// Options say what kind of server a test needs. The zero value is a lone MySQL server with relaxed durability.
type Options struct {
	Flavor  Flavor   // empty: MySQL
	Replica bool     // with a replica that is replicating
	Durable bool     // flush the redo log and the binary log at every commit
	Args    []string // options of the server program, as on its command line; the replica gets them too
}

// Server is a running server. Its fields are fixed but for PID, which Restart changes; they must not be written to.
type Server struct {
	Flavor  Flavor
	Version string // as in @@version
	Host    string // 127.0.0.1
	Port    int
	Socket  string
	PID     int

	User, Password           string // the account gh-ost runs with: the privileges it asks for, no others
	AdminUser, AdminPassword string // an account that may do everything

	ErrorLog string // path of the server's log

	Replica *Server // nil if there is none

	name   string // as script/mysql-server knows it
	shared bool   // other tests use it too
}

// Start starts a server for this test alone and ends it with the test.
func Start(t testing.TB, options Options) *Server {
	t.Helper()
	skipUnlessWanted(t, options.flavor())
	server, err := start(t.Context(), options)
	if err != nil {
		t.Fatalf("testserver: %v", err)
	}
	t.Cleanup(func() {
		if err := server.stop(context.WithoutCancel(t.Context())); err != nil {
			t.Errorf("testserver: %v", err)
		}
	})
	return server
}

func (o Options) flavor() Flavor {
	if o.Flavor == "" {
		return MySQL
	}
	return o.Flavor
}

// Restart shuts the server down, if it still runs, and starts it again with its data, port and options.
func (s *Server) Restart(t testing.TB) {
	t.Helper()
	lines, err := runScript(context.WithoutCancel(t.Context()), "restart", s.name)
	if err != nil {
		t.Fatalf("testserver: restart %s: %v", s.name, err)
	}
	if strings.HasSuffix(s.name, "/replica") {
		s.PID, err = lines.number("replica_pid")
	} else {
		s.PID, err = lines.number("pid")
	}
	if err != nil {
		t.Fatalf("testserver: restart %s: %v", s.name, err)
	}
}

// Kill ends the server with SIGKILL and returns when its process is gone. Restart brings it back.
func (s *Server) Kill(t testing.TB) {
	t.Helper()
	s.Signal(t, syscall.SIGKILL)
	for deadline := time.Now().Add(30 * time.Second); running(s.PID); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("testserver: process %d of %s outlived SIGKILL by 30 s", s.PID, s.name)
		}
	}
}

// Signal sends a signal to the server's process: SIGSTOP freezes it, SIGCONT wakes it.
func (s *Server) Signal(t testing.TB, signal syscall.Signal) {
	t.Helper()
	if err := syscall.Kill(s.PID, signal); err != nil {
		t.Fatalf("testserver: send %v to process %d of %s: %v", signal, s.PID, s.name, err)
	}
}

// Stop ends the server and deletes its data before the test ends. Only for a server of this test's own.
func (s *Server) Stop(t testing.TB) {
	t.Helper()
	if s.shared {
		t.Fatalf("testserver: %s is shared by the tests of this package and cannot be stopped by one of them", s.name)
	}
	if err := s.stop(context.WithoutCancel(t.Context())); err != nil {
		t.Fatalf("testserver: %v", err)
	}
}

// running says whether the process exists and has not just been left unburied by its parent.
func running(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return !errors.Is(err, os.ErrNotExist) && !errors.Is(err, syscall.ESRCH)
	}
	_, state, _ := strings.Cut(string(stat), ") ")
	return !strings.HasPrefix(state, "Z") && !strings.HasPrefix(state, "X")
}

func start(ctx context.Context, options Options) (*Server, error) {
	arguments := []string{"start", "--flavor", string(options.flavor()), "--with-parent", fmt.Sprint(os.Getpid())}
	if options.Replica {
		arguments = append(arguments, "--replica")
	}
	if options.Durable {
		arguments = append(arguments, "--durable")
	}
	arguments = append(append(arguments, "--"), options.Args...)
	lines, err := runScript(ctx, arguments...)
	if err != nil {
		return nil, fmt.Errorf("start a %s server: %w", options.flavor(), err)
	}
	return newServer(lines)
}

// newServer reads what script/mysql-server printed.
func newServer(lines info) (*Server, error) {
	server := &Server{
		Flavor: Flavor(lines["flavor"]), Version: lines["version"], Host: lines["host"], Socket: lines["socket"],
		User: lines["user"], Password: lines["password"], AdminUser: lines["admin_user"], AdminPassword: lines["admin_password"],
		ErrorLog: lines["error_log"], name: lines["name"],
	}
	var err, pidErr error
	server.Port, err = lines.number("port")
	server.PID, pidErr = lines.number("pid")
	if err = errors.Join(err, pidErr); err != nil {
		return nil, err
	}
	if _, ok := lines["replica_port"]; !ok {
		return server, nil
	}
	replica := *server
	replica.name += "/replica"
	replica.Socket, replica.ErrorLog = lines["replica_socket"], lines["replica_error_log"]
	replica.Port, err = lines.number("replica_port")
	replica.PID, pidErr = lines.number("replica_pid")
	if err = errors.Join(err, pidErr); err != nil {
		return nil, err
	}
	server.Replica = &replica
	return server, nil
}

// stop is idempotent: a server that is stopped already is no error.
func (s *Server) stop(ctx context.Context) error {
	if s.name == "" {
		return nil
	}
	if _, err := runScript(ctx, "stop", s.name); err != nil {
		return fmt.Errorf("stop server %s: %w", s.name, err)
	}
	s.name = ""
	return nil
}
