package metrics

import (
	"errors"
	"fmt"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

const (
	// flushInterval is the time between two writes.
	flushInterval = 5 * time.Second
	// writeTimeout bounds one write to a unix socket whose reader does not keep up.
	writeTimeout = time.Second

	// Datagrams stay within one Ethernet frame with its headers, or within what a unix socket takes by default.
	maxUDPDatagram  = 1432
	maxUnixDatagram = 8192
)

// Client sends measurements to a DogStatsD listener. It is safe for concurrent use. The zero Client discards them.
type Client struct {
	prefix string
	tags   []string
	stream *sender // nil: discard
}

// Noop discards all measurements.
var Noop = &Client{}

// NewClient connects to a DogStatsD listener and starts sending. addr is host:port, or a unix datagram socket as
// unix:///path, unix:path or /path. tags are "key:value" texts put on every metric, namespace is put before every name,
// with a dot between. Close must be called, or the last seconds' measurements are lost.
func NewClient(addr string, tags []string, namespace string) (*Client, error) {
	network, address, err := parseAddress(addr)
	if err != nil {
		return nil, err
	}
	for _, tag := range tags {
		if tag == "" || strings.ContainsAny(tag, reservedInTags) {
			return nil, fmt.Errorf("statsd tag %q cannot be sent: write key:value, without commas, bars and line ends", tag)
		}
	}
	connection, err := dial(network, address)
	if err != nil {
		return nil, fmt.Errorf("connecting to the statsd listener: %w", err)
	}
	client := &Client{prefix: prefixOf(namespace), tags: tags}
	client.stream = &sender{
		network: network, address: address, connection: connection,
		maxDatagram: maxUDPDatagram,
		aggregate:   newAggregate(),
		stopping:    make(chan struct{}),
	}
	if network != "udp" {
		client.stream.maxDatagram = maxUnixDatagram
	}
	client.stream.goroutines.Go(client.stream.run)
	return client, nil
}

func parseAddress(addr string) (network, address string, err error) {
	if path, isUnix := strings.CutPrefix(addr, "unix:"); isUnix {
		return "unixgram", strings.TrimPrefix(path, "//"), nil
	}
	if strings.HasPrefix(addr, "/") {
		return "unixgram", addr, nil
	}
	host, port, err := net.SplitHostPort(addr)
	if err != nil || port == "" {
		return "", "", fmt.Errorf("statsd address %q is not understood: write host:port, or the path of a unix socket", addr)
	}
	if host == "" {
		addr = net.JoinHostPort("localhost", port)
	}
	return "udp", addr, nil
}

func prefixOf(namespace string) string {
	if namespace == "" || strings.HasSuffix(namespace, ".") {
		return namespace
	}
	return namespace + "."
}

// Gauge implements Emitter.
func (c *Client) Gauge(name string, value float64, tags ...string) {
	if c.stream != nil {
		c.stream.aggregate.gauge(c.series(name, tags), value)
	}
}

// Count implements Emitter.
func (c *Client) Count(name string, value int64, tags ...string) {
	if c.stream != nil {
		c.stream.aggregate.count(c.series(name, tags), value)
	}
}

// Histogram implements Emitter.
func (c *Client) Histogram(name string, value float64, tags ...string) {
	if c.stream != nil {
		c.stream.aggregate.histogram(c.series(name, tags), value)
	}
}

// Flush writes what has been measured so far.
func (c *Client) Flush() error {
	if c.stream == nil {
		return nil
	}
	return c.stream.flush()
}

// Dropped is the number of lines that could not be written.
func (c *Client) Dropped() int64 {
	if c.stream == nil {
		return 0
	}
	return c.stream.dropped.Load()
}

// Close writes what is left, ends the client's goroutines and closes the socket. It may be called more than once; what is
// measured afterwards is lost.
func (c *Client) Close() error {
	if c.stream == nil {
		return nil
	}
	return c.stream.close()
}

// sender owns the socket and the goroutine that writes to it.
type sender struct {
	network, address string
	maxDatagram      int
	aggregate        *aggregate
	dropped          atomic.Int64
	stopping         chan struct{}  // closed by close
	goroutines       sync.WaitGroup // the writer, and the reporters that measure to this client

	writing    sync.Mutex // held while writing; guards all below
	connection net.Conn   // nil after a failed write, until it is connected anew
	closed     bool       // by close, which then still writes what is left
}

func (s *sender) run() {
	ticker := time.NewTicker(flushInterval)
	defer ticker.Stop()
	for {
		select {
		case <-s.stopping:
			return
		case <-ticker.C:
			_ = s.flush() // told by Dropped; the next flush connects anew
		}
	}
}

func (s *sender) flush() error {
	s.writing.Lock()
	defer s.writing.Unlock()
	if s.closed {
		return net.ErrClosed
	}
	return s.writeAll()
}

func (s *sender) close() error {
	s.writing.Lock()
	if s.closed {
		s.writing.Unlock()
		return nil
	}
	s.closed = true
	close(s.stopping)
	s.writing.Unlock()

	s.goroutines.Wait()
	s.writing.Lock()
	defer s.writing.Unlock()
	err := s.writeAll()
	if s.connection != nil {
		err = errors.Join(err, s.connection.Close())
	}
	return err
}

// writeAll writes everything measured since it was called last. A listener that is away loses these measurements.
func (s *sender) writeAll() error {
	var failures error
	for _, datagram := range packed(s.aggregate.drain(), s.maxDatagram) {
		if err := s.write(datagram); err != nil {
			s.dropped.Add(int64(strings.Count(datagram, "\n") + 1))
			failures = err
		}
	}
	return failures
}

// dial connects to the listener; who measures does not wait for it for long.
func dial(network, address string) (net.Conn, error) {
	dialer := net.Dialer{Timeout: writeTimeout}
	return dialer.Dial(network, address) //nolint:noctx // it is bounded by its timeout, and has nobody's context
}

func (s *sender) write(datagram string) error {
	if s.connection == nil {
		connection, err := dial(s.network, s.address)
		if err != nil {
			return fmt.Errorf("connecting to the statsd listener: %w", err)
		}
		s.connection = connection
	}
	err := s.connection.SetWriteDeadline(time.Now().Add(writeTimeout))
	if err == nil {
		_, err = s.connection.Write([]byte(datagram))
	}
	if err != nil {
		_ = s.connection.Close()
		s.connection = nil
		return fmt.Errorf("writing to the statsd listener: %w", err)
	}
	return nil
}

// packed joins lines into datagrams of at most limit bytes; a line that is longer gets a datagram of its own.
func packed(lines []string, limit int) []string {
	var datagrams []string
	var current strings.Builder
	for _, line := range lines {
		if current.Len() > 0 && current.Len()+1+len(line) > limit {
			datagrams = append(datagrams, current.String())
			current.Reset()
		}
		if current.Len() > 0 {
			current.WriteByte('\n')
		}
		current.WriteString(line)
	}
	if current.Len() > 0 {
		datagrams = append(datagrams, current.String())
	}
	return datagrams
}
