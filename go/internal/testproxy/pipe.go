package testproxy

import (
	"bufio"
	"errors"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"time"
)

// pipe is one direction of a connection. One goroutine reads and notes when each packet came, another decides on it and
// writes it, so that a delay costs time and no throughput.
type pipe struct {
	from, to net.Conn
	ends     <-chan struct{} // the connection's
	gate     gate
	delay    atomic.Int64 // a time.Duration
	queue    chan arrival
	closed   atomic.Bool // the receiver was told that nothing more comes
}

type arrival struct {
	packet packet
	due    time.Time
	err    error // of reading; io.EOF if the sender has closed its side in order
}

// inFlight is how many packets may be under way in one direction.
const inFlight = 256

func newPipe(from, to net.Conn, ends <-chan struct{}) *pipe {
	return &pipe{from: from, to: to, ends: ends, queue: make(chan arrival, inFlight)}
}

// run returns when the direction has ended. If that is not in order it calls fail, which must make reads fail.
func (p *pipe) run(decide func(packet) verdict, fail func()) {
	var reader sync.WaitGroup
	reader.Go(p.read)
	if err := p.write(decide); err != nil {
		fail()
	}
	reader.Wait()
}

func (p *pipe) read() {
	defer close(p.queue)
	buffered := bufio.NewReaderSize(p.from, 64<<10)
	for {
		read, err := readPacket(buffered)
		select {
		case p.queue <- arrival{read, time.Now().Add(time.Duration(p.delay.Load())), err}:
		case <-p.ends:
			return
		}
		if err != nil {
			return
		}
	}
}

// errCut ends a direction whose connection is to be cut, or has been.
var errCut = errors.New("cut")

// write returns nil if the sender closed in order and the receiver was told so.
func (p *pipe) write(decide func(packet) verdict) error {
	for next := range p.queue {
		if !p.waitUntil(next.due) || !p.gate.pass(p.ends) {
			return errCut
		}
		if errors.Is(next.err, io.EOF) {
			p.closeWrite()
			return nil
		}
		if next.err != nil {
			return next.err
		}
		if err := p.forward(next.packet, decide(next.packet)); err != nil {
			return err
		}
	}
	return errCut
}

func (p *pipe) forward(packet packet, verdict verdict) error {
	switch {
	case verdict.cutBefore:
		return errCut
	case !p.gate.pass(p.ends): // a hook may have shut it
		return errCut
	case verdict.dropRequest:
		return nil
	}
	if _, err := p.to.Write(packet); err != nil && !p.closed.Load() {
		return err
	}
	if verdict.cutDuring {
		return errCut
	}
	return nil
}

// closeWrite tells the receiver that nothing more comes. What comes all the same is dropped.
func (p *pipe) closeWrite() {
	p.closed.Store(true)
	if tcp, ok := p.to.(*net.TCPConn); ok {
		_ = tcp.CloseWrite() // fails only if the connection has gone
	}
}

func (p *pipe) waitUntil(due time.Time) bool {
	wait := time.Until(due)
	if wait <= 0 {
		return true
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-p.ends:
		return false
	}
}
