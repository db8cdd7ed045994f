package testproxy

import (
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"
)

// Command is what a client asks of the server.
type Command struct {
	Name string // COM_QUERY, COM_BINLOG_DUMP, …
	Text string // of the statement, for COM_QUERY, COM_STMT_PREPARE and COM_STMT_EXECUTE; else empty
}

// Match chooses commands.
type Match func(*Conn, Command) bool

// Text matches commands whose statement contains a text, in any case of its letters.
func Text(part string) Match {
	part = strings.ToLower(part)
	return func(_ *Conn, command Command) bool { return strings.Contains(strings.ToLower(command.Text), part) }
}

// Regexp matches commands whose statement the expression matches. It panics if the expression is none.
func Regexp(expression string) Match {
	compiled := regexp.MustCompile(expression)
	return func(_ *Conn, command Command) bool { return compiled.MatchString(command.Text) }
}

// Named matches commands by their name, COM_PING for example.
func Named(name string) Match {
	return func(_ *Conn, command Command) bool { return command.Name == name }
}

// On matches the commands of one connection.
func On(conn *Conn) Match {
	return func(sender *Conn, _ Command) bool { return sender == conn }
}

// All matches what each of the matches does.
func All(matches ...Match) Match {
	return func(conn *Conn, command Command) bool {
		for _, match := range matches {
			if !match(conn, command) {
				return false
			}
		}
		return true
	}
}

// verdict is what becomes of a command and of its reply.
type verdict struct {
	dropRequest bool
	cutBefore   bool // before the server has it
	cutDuring   bool // when the server has it
	reply       replyMode
}

type replyMode uint8

const (
	passReply replyMode = iota
	dropReply
	cutAtReply
)

// Rule acts on each command that it matches, from its making until it is removed or its limit is reached.
type Rule struct {
	match Match
	act   func(*Conn, *verdict)

	mutex   sync.Mutex
	limit   int // negative: none
	hits    int
	last    *Conn
	changed chan struct{} // closed at the next hit
}

// Limit makes the rule act on so many commands at most, those that it has acted on included.
func (r *Rule) Limit(times int) *Rule {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	r.limit = times
	return r
}

// Remove ends the rule.
func (r *Rule) Remove() { r.Limit(0) }

// Hits is the number of commands that the rule has acted on.
func (r *Rule) Hits() int {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	return r.hits
}

// waitLimit is how long Wait waits.
const waitLimit = 30 * time.Second

// Wait returns the connection that the rule acted on last, as soon as there is one. It fails the test if there is none
// for 30 seconds.
func (r *Rule) Wait(t testing.TB) *Conn {
	t.Helper()
	limit := time.NewTimer(waitLimit)
	defer limit.Stop()
	for {
		r.mutex.Lock()
		last, changed := r.last, r.changed
		r.mutex.Unlock()
		if last != nil {
			return last
		}
		select {
		case <-changed:
		case <-limit.C:
			t.Fatalf("testproxy: no command has met the rule within %s", waitLimit)
		}
	}
}

// apply acts if the command matches.
func (r *Rule) apply(conn *Conn, command Command, result *verdict) {
	if !r.match(conn, command) || !r.claim(conn) {
		return
	}
	r.act(conn, result)
	r.announce(conn)
}

func (r *Rule) claim(conn *Conn) bool {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if r.limit >= 0 && r.hits >= r.limit {
		return false
	}
	r.hits++
	return true
}

// announce comes after the deed, so that who has waited for it finds it done.
func (r *Rule) announce(conn *Conn) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	r.last = conn
	close(r.changed)
	r.changed = make(chan struct{})
}

// OnQuery calls the function before a command that matches goes on; until it returns, that connection's commands
// wait. It may use all that a Conn offers: after a Stall the command itself is held.
func (p *Proxy) OnQuery(match Match, hook func(*Conn)) *Rule {
	return p.rule(match, func(conn *Conn, _ *verdict) { hook(conn) })
}

// CutBefore cuts the connection; the server never sees the command.
func (p *Proxy) CutBefore(match Match) *Rule {
	return p.rule(match, func(_ *Conn, result *verdict) { result.cutBefore = true })
}

// CutDuring cuts the connection as soon as the server has been sent the command; the client never sees an answer, however
// soon it comes.
func (p *Proxy) CutDuring(match Match) *Rule {
	return p.rule(match, func(_ *Conn, result *verdict) { result.cutDuring, result.reply = true, dropReply })
}

// CutAfter cuts the connection when the server answers the command, which therefore is done; the client never sees the
// answer.
func (p *Proxy) CutAfter(match Match) *Rule {
	return p.rule(match, func(_ *Conn, result *verdict) { result.reply = cutAtReply })
}

// SwallowRequest keeps the command from the server; its client waits for an answer that does not come.
func (p *Proxy) SwallowRequest(match Match) *Rule {
	return p.rule(match, func(_ *Conn, result *verdict) { result.dropRequest = true })
}

// SwallowReply lets the server do the command and keeps the answer from the client. Answers to later commands pass.
func (p *Proxy) SwallowReply(match Match) *Rule {
	return p.rule(match, func(_ *Conn, result *verdict) { result.reply = dropReply })
}
