package server

import (
	"bytes"
	"context"
	"fmt"
	"runtime/debug"
	"strconv"
	"strings"
	"unicode"
)

// ask is the argument that asks for the current value.
const ask = "?"

// command is one entry of the command table.
type command struct {
	names     []string // the first is the one it is reported under, the others are aliases
	argument  string   // how help shows the argument; "" if there is none
	help      string
	changes   bool                // the migration, unless it is asked for the value; logged then
	supported func(Controls) bool // nil: by every migration
	run       func(r *request) error
}

func (c command) isSupported(controls Controls) bool {
	return c.supported == nil || c.supported(controls)
}

// request is a command on its way to its reply. Whoever runs it writes the reply, or returns the error that is the reply.
type request struct {
	ctx      context.Context //nolint:containedctx // a request lives as long as one call
	controls Controls
	name     string // first name of the command
	argument string // "" if there was none
	reply    bytes.Buffer
}

// parse splits a line at its first equals sign, trims both parts, and takes the argument out of its quotes if it is a quoted
// Go string.
func parse(line string) (name, argument string) {
	name, argument, _ = strings.Cut(line, "=")
	name, argument = strings.TrimSpace(name), strings.TrimSpace(argument)
	if unquoted, err := strconv.Unquote(argument); err == nil {
		argument = unquoted
	}
	return name, argument
}

// answer executes a line and returns the reply. A panic on the way is reported and costs no more than this reply.
func (s *Server) answer(ctx context.Context, line string) (reply []byte) {
	defer func() {
		if fault := recover(); fault != nil {
			_ = s.config.Log.Errorf("interactive command %s failed: %v\n%s", printable(line), fault, debug.Stack())
			reply = []byte("the command failed by an internal error, which is in the log; the migration goes on\n")
		}
	}()
	name, argument := parse(line)
	if s.config.BeforeCommand != nil {
		if err := s.config.BeforeCommand(ctx, name); err != nil {
			return []byte(s.complain(err))
		}
	}
	command, known := s.lookUp(name)
	if !known {
		return []byte(s.complain(fmt.Errorf("unknown command: %s", printable(name))))
	}
	if command.changes && argument != ask {
		s.config.Log.Infof("interactive command: %s", printable(strings.TrimSpace(line)))
	}
	r := &request{ctx: ctx, controls: s.config.Controls, name: command.names[0], argument: argument}
	if err := command.run(r); err != nil {
		return []byte(s.complain(err))
	}
	return r.reply.Bytes()
}

func (s *Server) lookUp(name string) (command, bool) {
	for _, command := range s.commands {
		for _, candidate := range command.names {
			if candidate == name && command.isSupported(s.config.Controls) {
				return command, true
			}
		}
	}
	return command{}, false
}

// complain logs an error and words it as a reply.
func (s *Server) complain(err error) string {
	_ = s.config.Log.Errorf("%s", err)
	return err.Error() + "\n"
}

// printable makes text of clients fit for a log and a terminal.
func printable(text string) string {
	const longest = 200
	if len(text) > longest {
		text = strings.ToValidUTF8(text[:longest], "") + "…"
	}
	if strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) || r == unicode.ReplacementChar }) {
		return strconv.Quote(text)
	}
	return text
}

// value replies with a value alone.
func (r *request) value(value any) error {
	fmt.Fprintln(&r.reply, value)
	return nil
}

// status replies with hints and status line.
func (r *request) status() error {
	return r.controls.WriteStatus(r.ctx, &r.reply)
}

// noteAndStatus is status after a word on how long one may hold a migration back.
func (r *request) noteAndStatus() error {
	fmt.Fprintln(&r.reply, "# Note: throttle no longer than the servers keep their binary logs; once a log that is still needed has been purged, the migration cannot go on")
	return r.status()
}

// checkTable refuses a command that names another table than the one being migrated.
func (r *request) checkTable() error {
	if table := r.controls.Table(); r.argument != "" && r.argument != table {
		return fmt.Errorf("user commanded '%s' on %s, but migrated table is %s; ignoring request", r.name, printable(r.argument), table)
	}
	return nil
}

// requireTable is checkTable for commands that a flag wants to name the table.
func (r *request) requireTable(required bool, flag string) error {
	if required && r.argument == "" {
		return fmt.Errorf("user commanded '%s' without specifying table name, but --%s is set", r.name, flag)
	}
	return r.checkTable()
}
