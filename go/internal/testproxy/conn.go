package testproxy

import (
	"net"
	"sync"
	"time"
)

// Conn is one client's connection through the proxy. All its methods may be called at any time from anywhere, hooks
// included; once it has ended they do nothing.
type Conn struct {
	proxy    *Proxy
	toServer *pipe
	toClient *pipe

	cut  sync.Once
	ends chan struct{} // closed when the connection is cut or has ended

	mutex      sync.Mutex
	id         uint32
	greeted    bool
	loggedIn   bool
	last       Command
	reply      replyMode         // what becomes of the answer to last
	statements map[uint32]string // prepared ones, by id
}

func newConn(proxy *Proxy, client, server net.Conn) *Conn {
	c := &Conn{proxy: proxy, ends: make(chan struct{}), statements: map[uint32]string{}}
	c.toServer = newPipe(client, server, c.ends)
	c.toClient = newPipe(server, client, c.ends)
	return c
}

// run forwards until both directions have ended. One that fails takes the other along; one that ends in order does not.
func (c *Conn) run() {
	var both sync.WaitGroup
	both.Go(func() { c.toServer.run(c.request, c.Cut) })
	both.Go(func() { c.toClient.run(c.response, c.Cut) })
	both.Wait()
	c.Cut()
}

// ID is the connection's id in the server, 0 before the server's greeting has passed.
func (c *Conn) ID() uint32 {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	return c.id
}

// LastCommand is the command that the client sent last, whatever became of it. It is zero before the first.
func (c *Conn) LastCommand() Command {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	return c.last
}

// LastQuery is the text of LastCommand.
func (c *Conn) LastQuery() string { return c.LastCommand().Text }

// Cut closes both sides at once. What is under way is lost.
func (c *Conn) Cut() {
	c.cut.Do(func() {
		close(c.ends)
		c.toServer.from.Close()
		c.toServer.to.Close()
	})
}

// Stall stops forwarding in the given directions, closes nothing and loses nothing.
func (c *Conn) Stall(directions ...Direction) {
	c.each(directions, func(p *pipe) { p.gate.close() })
}

// Resume ends a Stall.
func (c *Conn) Resume(directions ...Direction) {
	c.each(directions, func(p *pipe) { p.gate.open() })
}

// Delay makes what is sent from now on in the given directions arrive so much later. 0 ends it.
func (c *Conn) Delay(delay time.Duration, directions ...Direction) {
	c.each(directions, func(p *pipe) { p.delay.Store(int64(delay)) })
}

// HalfClose tells one side that the other will send no more: HalfClose(ToServer) looks to the server as if the client
// had closed its sending side. Replies still pass the other way.
func (c *Conn) HalfClose(direction Direction) {
	c.each([]Direction{direction}, (*pipe).closeWrite)
}

func (c *Conn) each(directions []Direction, act func(*pipe)) {
	wanted := union(directions)
	if wanted&ToServer != 0 {
		act(c.toServer)
	}
	if wanted&ToClient != 0 {
		act(c.toClient)
	}
}

// request decides on a packet of the client.
func (c *Conn) request(p packet) verdict {
	command, isOne := c.command(p)
	if !isOne {
		return verdict{}
	}
	result := c.proxy.judge(c, command)
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.reply = result.reply
	return result
}

// command reads a packet that begins a command. Others belong to the login, or continue a command.
func (c *Conn) command(p packet) (Command, bool) {
	first, ok := p.first()
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if !c.loggedIn && p.sequence() == 1 {
		closeLogin(p)
	}
	if !c.loggedIn || !ok || p.sequence() != 0 {
		return Command{}, false
	}
	command := Command{Name: commandName(first)}
	switch id, known := statementID(p); {
	case first == comQuery, first == comPrepare:
		command.Text = string(p.payload()[1:])
	case first == comExecute && known:
		command.Text = c.statements[id]
	case first == comClose && known:
		delete(c.statements, id)
	}
	c.last = command
	return command, true
}

// response decides on a packet of the server.
func (c *Conn) response(p packet) verdict {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	first, _ := p.first()
	switch {
	case !c.greeted:
		c.greeted = true
		c.id, _ = openGreeting(p)
	case !c.loggedIn:
		c.loggedIn = first == sayOK && len(p) > headerLength
	case c.last.Name == commandName(comPrepare) && p.sequence() == 1 && first == sayOK:
		if id, ok := statementID(p); ok {
			c.statements[id] = c.last.Text
		}
	}
	return verdict{dropRequest: c.reply == dropReply, cutBefore: c.reply == cutAtReply}
}
