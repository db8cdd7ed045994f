package testproxy

import (
	"errors"
	"fmt"
	"net"
	"slices"
	"sync"
	"testing"
	"time"
)

// Direction is a way through the network.
type Direction uint8

// The directions. Both is the default where a method takes any number of them.
const (
	ToServer Direction = 1 << iota
	ToClient
	Both = ToServer | ToClient
)

func union(directions []Direction) Direction {
	if len(directions) == 0 {
		return Both
	}
	var all Direction
	for _, direction := range directions {
		all |= direction
	}
	return all
}

// Proxy stands between clients and one server.
type Proxy struct {
	listener net.Listener
	upstream string
	ended    chan struct{}
	all      sync.WaitGroup

	mutex   sync.Mutex
	conns   []*Conn // oldest first
	rules   []*Rule // oldest first
	refuse  bool
	closed  bool
	stalled Direction
	delays  map[Direction]time.Duration
}

// Start begins a proxy to the server at an address (host:port) and ends it with the test.
func Start(t testing.TB, upstream string) *Proxy {
	t.Helper()
	proxy, err := New(upstream)
	if err != nil {
		t.Fatalf("testproxy: %v", err)
	}
	t.Cleanup(proxy.Close)
	return proxy
}

// New begins a proxy to the server at an address. It must be closed.
func New(upstream string) (*Proxy, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("listening for clients of %s: %w", upstream, err)
	}
	p := &Proxy{listener: listener, upstream: upstream, ended: make(chan struct{}), delays: map[Direction]time.Duration{}}
	p.all.Go(p.accept)
	return p, nil
}

// Addr is where clients connect, as host:port.
func (p *Proxy) Addr() string { return p.listener.Addr().String() }

// Port is the port of Addr; the host is 127.0.0.1.
func (p *Proxy) Port() int { return p.listener.Addr().(*net.TCPAddr).Port }

// Close cuts all connections and returns when nothing of the proxy is left. It must not be called by a hook.
func (p *Proxy) Close() {
	p.mutex.Lock()
	first := !p.closed
	p.closed = true
	p.mutex.Unlock()
	if first {
		close(p.ended)
		p.listener.Close()
	}
	p.CutAll()
	p.all.Wait()
}

// Conns returns the connections that have not ended, oldest first.
func (p *Proxy) Conns() []*Conn {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	return slices.Clone(p.conns)
}

// Find returns the connections whose last command matches, oldest first.
func (p *Proxy) Find(match Match) []*Conn {
	return slices.DeleteFunc(p.Conns(), func(conn *Conn) bool { return !match(conn, conn.LastCommand()) })
}

// Cut cuts the connections whose last command matches, and returns them.
func (p *Proxy) Cut(match Match) []*Conn {
	found := p.Find(match)
	for _, conn := range found {
		conn.Cut()
	}
	return found
}

// CutAll cuts all connections. New ones may be made.
func (p *Proxy) CutAll() {
	for _, conn := range p.Conns() {
		conn.Cut()
	}
}

// Partition cuts all connections and refuses new ones until Heal.
func (p *Proxy) Partition() {
	p.mutex.Lock()
	p.refuse = true
	p.mutex.Unlock()
	p.CutAll()
}

// Heal ends a Partition.
func (p *Proxy) Heal() {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.refuse = false
}

// Stall stops the whole network, connections that are made later included, until Resume. Nothing is closed or lost.
func (p *Proxy) Stall(directions ...Direction) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.stalled |= union(directions)
	for _, conn := range p.conns {
		conn.Stall(directions...)
	}
}

// Resume ends what Stall, of the proxy or of a connection, began.
func (p *Proxy) Resume(directions ...Direction) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.stalled &^= union(directions)
	for _, conn := range p.conns {
		conn.Resume(directions...)
	}
}

// Delay makes all that is sent from now on arrive so much later, on new connections too. 0 ends it.
func (p *Proxy) Delay(delay time.Duration, directions ...Direction) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	for _, direction := range []Direction{ToServer, ToClient} {
		if union(directions)&direction != 0 {
			p.delays[direction] = delay
		}
	}
	for _, conn := range p.conns {
		conn.Delay(delay, directions...)
	}
}

func (p *Proxy) rule(match Match, act func(*Conn, *verdict)) *Rule {
	made := &Rule{match: match, act: act, limit: -1, changed: make(chan struct{})}
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.rules = append(p.rules, made)
	return made
}

// judge lets the rules act on a command.
func (p *Proxy) judge(conn *Conn, command Command) verdict {
	p.mutex.Lock()
	rules := slices.Clone(p.rules)
	p.mutex.Unlock()
	var result verdict
	for _, rule := range rules {
		rule.apply(conn, command, &result)
	}
	return result
}

// acceptPause lies between two tries to accept a connection when the first has failed.
const acceptPause = 10 * time.Millisecond

func (p *Proxy) accept() {
	for {
		client, err := p.listener.Accept()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil {
			// Out of file descriptors, for example: that passes.
			select {
			case <-time.After(acceptPause):
				continue
			case <-p.ended:
				return
			}
		}
		p.all.Go(func() { p.serve(client) })
	}
}

// dialTimeout is how long the server may take to accept a connection.
const dialTimeout = 10 * time.Second

func (p *Proxy) serve(client net.Conn) {
	defer client.Close()
	if p.refuses() {
		return
	}
	server, err := net.DialTimeout("tcp", p.upstream, dialTimeout)
	if err != nil {
		return // a client of a dead server sees its connection closed
	}
	defer server.Close()
	conn := newConn(p, client, server)
	if !p.enter(conn) {
		return
	}
	conn.run()
	p.leave(conn)
}

func (p *Proxy) refuses() bool {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	return p.refuse || p.closed
}

// enter makes the connection part of the network, unless that was cut in the meantime.
func (p *Proxy) enter(conn *Conn) bool {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	if p.refuse || p.closed {
		return false
	}
	if p.stalled != 0 {
		conn.Stall(p.stalled)
	}
	for direction, delay := range p.delays {
		conn.Delay(delay, direction)
	}
	p.conns = append(p.conns, conn)
	return true
}

func (p *Proxy) leave(conn *Conn) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.conns = slices.DeleteFunc(p.conns, func(other *Conn) bool { return other == conn })
}
