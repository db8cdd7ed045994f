package binlog

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// errSecondConnection keeps the library from connecting once more to KILL the connection that it has lost. After a
// restart of the server that id may belong to any session, perhaps to the one that holds our locks.
var errSecondConnection = errors.New("only one connection is made at a time")

// dialer makes a session's one connection. The connection is closed when the session's context ends, whatever the
// library does with it at that time, and a read fails when the server has been silent for too long.
type dialer struct {
	ctx     context.Context //nolint:containedctx // of the connection that is dialed; the library hands none to its dialer
	timeout atomic.Int64    // nanoseconds that a read may take

	mu     sync.Mutex
	dialed bool
	conn   *watchedConn
	stop   func() bool
}

func newDialer(ctx context.Context) *dialer {
	d := &dialer{ctx: ctx}
	d.timeout.Store(int64(startTimeout))
	return d
}

// dial is called by the library, with a context of its own that bounds it.
func (d *dialer) dial(ctx context.Context, network, address string) (net.Conn, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.dialed {
		return nil, errSecondConnection
	}
	d.dialed = true
	ctx, cancel := context.WithTimeout(ctx, dialTimeout)
	defer cancel()
	defer context.AfterFunc(d.ctx, cancel)()
	conn, err := (&net.Dialer{}).DialContext(ctx, network, address)
	if err != nil {
		return nil, err
	}
	d.conn = &watchedConn{Conn: conn, timeout: &d.timeout}
	d.stop = context.AfterFunc(d.ctx, func() { _ = conn.Close() })
	return d.conn, nil
}

// flowing shortens the patience: from now on the server sends heartbeats.
func (d *dialer) flowing(silence time.Duration) {
	d.timeout.Store(int64(silence))
}

// close closes the connection. The library may close it again.
func (d *dialer) close() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.dialed = true
	if d.conn != nil {
		d.stop()
		_ = d.conn.Close()
	}
}

// cause is why the connection failed, which the library reports as text only; nil if it did not.
func (d *dialer) cause() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.conn == nil {
		return nil
	}
	err, _ := d.conn.failure.Load().(failure)
	return err.error
}

// failure makes errors of any type one type, as atomic.Value wants it.
type failure struct{ error }

// watchedConn bounds the time of each read and write.
type watchedConn struct {
	net.Conn
	timeout *atomic.Int64
	failure atomic.Value // the first error
}

func (c *watchedConn) Read(buffer []byte) (int, error) {
	timeout := time.Duration(c.timeout.Load())
	if err := c.Conn.SetReadDeadline(time.Now().Add(timeout)); err != nil {
		return 0, c.failed(err)
	}
	n, err := c.Conn.Read(buffer)
	if timeoutErr := net.Error(nil); errors.As(err, &timeoutErr) && timeoutErr.Timeout() {
		err = fmt.Errorf("the server has been silent for %s: %w", timeout, err)
	}
	return n, c.failed(err)
}

func (c *watchedConn) Write(data []byte) (int, error) {
	if err := c.Conn.SetWriteDeadline(time.Now().Add(writeTimeout)); err != nil {
		return 0, c.failed(err)
	}
	n, err := c.Conn.Write(data)
	return n, c.failed(err)
}

// SetReadDeadline is called by the library when it closes. It must not fail on a connection that we have closed before:
// the library would then close it under the hands of its own reading goroutine, which is a data race.
func (c *watchedConn) SetReadDeadline(deadline time.Time) error {
	_ = c.Conn.SetReadDeadline(deadline)
	return nil
}

func (c *watchedConn) failed(err error) error {
	if err != nil {
		c.failure.CompareAndSwap(nil, failure{err})
	}
	return err
}

// logHandler passes what the library logs on to our log, for debugging, and not to stderr.
type logHandler struct {
	log Logger
}

func (h logHandler) Enabled(context.Context, slog.Level) bool { return true }

func (h logHandler) Handle(_ context.Context, record slog.Record) error {
	var text strings.Builder
	text.WriteString(record.Message)
	record.Attrs(func(attr slog.Attr) bool {
		if attr.Key != "config" { // all settings, in many lines
			fmt.Fprintf(&text, " %s=%v", attr.Key, attr.Value)
		}
		return true
	})
	h.log.Debugf("replication: %s", text.String())
	return nil
}

func (h logHandler) WithAttrs([]slog.Attr) slog.Handler { return h }
func (h logHandler) WithGroup(string) slog.Handler      { return h }

func libraryLog(log Logger) *slog.Logger {
	if log == nil {
		return slog.New(slog.DiscardHandler)
	}
	return slog.New(logHandler{log})
}
