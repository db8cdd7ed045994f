package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

// migration is what was seen of gh-ost's run.
type migration struct {
	err            error // nil if gh-ost says that it succeeded
	began, ended   time.Time
	copied, events int64 // from its last status line; negative if there was none
	cutOver        window
}

// window is the time from the first attempt to lock the table until the last sign of the cut-over. Attempts counts the
// attempts, 0 if none was seen.
type window struct {
	from, to time.Time
	attempts int
}

// stopGrace is how long gh-ost may take to end after it was told to.
const stopGrace = 15 * time.Second

// logTail is how many of the last lines of the log are shown after a failure.
const logTail = 30

// migrate runs gh-ost to its end: its standard output is passed on, its log goes to a file.
func (d *demo) migrate(ctx context.Context) migration {
	result := migration{copied: -1, events: -1, began: time.Now()}
	result.err = d.runBinary(ctx, &result)
	result.ended = time.Now()
	if result.err != nil && ctx.Err() == nil {
		result.err = fmt.Errorf("%s: %w", d.binary, result.err)
		d.showLog()
	}
	return result
}

func (d *demo) runBinary(ctx context.Context, result *migration) error {
	if err := os.MkdirAll(filepath.Dir(d.log), 0o755); err != nil {
		return fmt.Errorf("making room for the log: %w", err)
	}
	log, err := os.Create(d.log)
	if err != nil {
		return fmt.Errorf("opening the log: %w", err)
	}
	defer log.Close()
	sockets, err := os.MkdirTemp("", "gh-ost-demo")
	if err != nil {
		return fmt.Errorf("making room for the socket: %w", err)
	}
	defer os.RemoveAll(sockets)

	command := exec.CommandContext(ctx, d.binary, d.arguments(filepath.Join(sockets, "socket"))...)
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // an interrupt from the keyboard reaches it through us alone
	command.Cancel = func() error { return command.Process.Signal(syscall.SIGTERM) }
	command.WaitDelay = stopGrace
	stdout, stderr := newLines(result.seeStatus(d.out)), newLines(result.seeLog(log))
	command.Stdout, command.Stderr = stdout, stderr
	d.say("migrating with %s %s", d.binary, d.alter)
	d.say("its log is in %s", d.log)
	err = command.Run()
	return errors.Join(err, stdout.flush(), stderr.flush())
}

func (d *demo) arguments(socket string) []string {
	return append([]string{
		"--host=" + d.host, "--port=" + strconv.Itoa(d.port), "--user=" + d.user, "--password=" + d.password,
		"--database=" + d.schema, "--table=" + d.table, "--alter=" + d.alter,
		"--allow-on-master", "--ok-to-drop-table", "--verbose", "--serve-socket-file=" + socket, "--execute",
	}, d.more...)
}

var statusLine = regexp.MustCompile(`^Copy: (\d+)/\d+ [\d.]+%; Applied: (\d+);`)

// seeStatus passes lines on and remembers the numbers of the last status line.
func (m *migration) seeStatus(out io.Writer) func(string) error {
	return func(line string) error {
		if found := statusLine.FindStringSubmatch(line); found != nil {
			m.copied, _ = strconv.ParseInt(found[1], 10, 64) // digits alone; overflow is no concern
			m.events, _ = strconv.ParseInt(found[2], 10, 64)
		}
		_, err := fmt.Fprintln(out, line)
		return err
	}
}

// log lines that begin and end the time in which the table may be locked
var (
	lockLine   = regexp.MustCompile("(INFO|DEBUG) Locking `")
	unlockLine = regexp.MustCompile("(INFO|DEBUG) (Tables unlocked|Tables renamed|Lock & rename duration)")
)

// seeLog writes the log to a file and notes when the cut-over was.
func (m *migration) seeLog(log io.Writer) func(string) error {
	return func(line string) error {
		now := time.Now()
		switch {
		case lockLine.MatchString(line):
			if m.cutOver.attempts == 0 {
				m.cutOver.from = now
			}
			m.cutOver.attempts++
			m.cutOver.to = now
		case unlockLine.MatchString(line) && m.cutOver.attempts > 0:
			m.cutOver.to = now
		}
		_, err := fmt.Fprintln(log, line)
		return err
	}
}

func (d *demo) showLog() {
	file, err := os.Open(d.log)
	if err != nil {
		d.say("the log cannot be read: %v", err)
		return
	}
	defer file.Close()
	var tail []string
	for scanner := bufio.NewScanner(file); scanner.Scan(); {
		tail = append(tail, scanner.Text())
		tail = tail[max(0, len(tail)-logTail):]
	}
	d.say("the last lines of %s:\n%s", d.log, strings.Join(tail, "\n"))
}

// lines is a writer that hands on whole lines, each when it is complete.
type lines struct {
	mutex sync.Mutex
	rest  []byte
	see   func(string) error
}

func newLines(see func(string) error) *lines { return &lines{see: see} }

func (l *lines) Write(data []byte) (int, error) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	l.rest = append(l.rest, data...)
	for {
		line, rest, complete := strings.Cut(string(l.rest), "\n")
		if !complete {
			return len(data), nil
		}
		l.rest = []byte(rest)
		if err := l.see(line); err != nil {
			return 0, err
		}
	}
}

// flush hands on a last line that has no end.
func (l *lines) flush() error {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	if len(l.rest) == 0 {
		return nil
	}
	line := string(l.rest)
	l.rest = nil
	return l.see(line)
}
