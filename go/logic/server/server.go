package server

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"strconv"
	"sync"
	"time"
)

const (
	maxConnections = 64 // at once, for each listener; more wait to be accepted

	// A person may type the line by hand, so the time to send it is long.
	readTimeout     = time.Minute
	writeTimeout    = 10 * time.Second
	shutdownTimeout = time.Second // for replies under way when the server ends

	acceptRetry = 100 * time.Millisecond // after an accept that failed, for want of file descriptors as a rule
)

// DefaultSocketMode lets nobody but the owner connect.
const DefaultSocketMode fs.FileMode = 0o600

// Config is what a Server is built with.
type Config struct {
	SocketFile         string
	SocketMode         fs.FileMode // zero: DefaultSocketMode
	DropExistingSocket bool        // remove a file at SocketFile first, even one that another process serves on

	TCPHost string // "": all interfaces
	TCPPort int    // zero: no TCP

	Controls Controls

	// BeforeCommand is called for every line before it is looked at further, with the part that names the command. An error
	// keeps the command from being executed and is the reply. May be nil.
	BeforeCommand func(ctx context.Context, command string) error

	Log Logger
}

// Server takes commands for one migration.
type Server struct {
	config              Config
	commands            []command
	readTime, writeTime time.Duration

	socket    *socketFile
	listeners []net.Listener
	closing   sync.Once
	closeErr  error

	profiling sync.Mutex // held while a profile is taken
}

// New returns a server that does not listen yet.
func New(config Config) *Server {
	if config.SocketMode == 0 {
		config.SocketMode = DefaultSocketMode
	}
	s := &Server{config: config, readTime: readTimeout, writeTime: writeTimeout}
	s.commands = s.commandTable()
	return s
}

// Listen occupies the addresses. Clients may connect from then on, and are answered once Serve runs. After an error nothing
// is occupied; after success Serve or Close must be called.
func (s *Server) Listen(ctx context.Context) error {
	socket, listener, err := listenOnSocketFile(ctx, s.config.SocketFile, s.config.SocketMode, s.config.DropExistingSocket)
	if err != nil {
		return err
	}
	s.socket, s.listeners = socket, append(s.listeners, listener)
	s.config.Log.Infof("Listening on unix socket file: %s", s.config.SocketFile)
	if s.config.TCPPort == 0 {
		return nil
	}

	address := net.JoinHostPort(s.config.TCPHost, strconv.Itoa(s.config.TCPPort))
	listener, err = (&net.ListenConfig{}).Listen(ctx, "tcp", address)
	if err != nil {
		return errors.Join(fmt.Errorf("listening on TCP port %d (--serve-tcp-port): %w", s.config.TCPPort, err), s.Close())
	}
	s.listeners = append(s.listeners, listener)
	s.config.Log.Infof("Listening on tcp port: %d", s.config.TCPPort)
	return nil
}

// Serve answers until the context ends or Close is called, and returns when all that it started has ended.
func (s *Server) Serve(ctx context.Context) error {
	stop := context.AfterFunc(ctx, func() { _ = s.Close() })
	defer stop()

	var running sync.WaitGroup
	for _, listener := range s.listeners {
		running.Go(func() { s.accept(ctx, listener) })
	}
	running.Wait()
	return s.Close()
}

// Close gives up the addresses, and removes the socket file if it is still ours. Commands under way go on.
func (s *Server) Close() error {
	s.closing.Do(func() {
		var all error
		if s.socket != nil {
			s.config.Log.Infof("Removing socket file: %s", s.config.SocketFile)
			all = s.socket.remove()
		}
		for _, listener := range s.listeners {
			all = errors.Join(all, listener.Close())
		}
		s.closeErr = all
	})
	return s.closeErr
}

// accept serves one listener's connections side by side, so many at a time, and waits for all of them.
func (s *Server) accept(ctx context.Context, listener net.Listener) {
	var connections sync.WaitGroup
	defer connections.Wait()
	places := make(chan struct{}, maxConnections)
	for {
		select {
		case places <- struct{}{}:
		case <-ctx.Done():
			return
		}
		conn, err := listener.Accept()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil {
			_ = s.config.Log.Errorf("accepting an interactive connection: %s", err)
			<-places
			if !pause(ctx, acceptRetry) {
				return
			}
			continue
		}
		connections.Go(func() {
			defer func() { <-places }()
			s.serve(ctx, conn)
		})
	}
}

// pause waits, and tells whether it waited to the end.
func pause(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
