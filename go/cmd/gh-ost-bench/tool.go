package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// stopGrace is how long a program may take to end after it was told to.
const stopGrace = 30 * time.Second

// tool is a run of a gh-ost compatible program.
type tool struct {
	command *exec.Cmd
	log     *watchedLog
	sampler *sampler
	folder  string // for its socket and flag files
	logFile string

	began, ended time.Time
	done         chan struct{} // closed when it has ended
	err          error         // of its end; valid once done is closed
}

// start begins a migration. The caller waits for it.
func (s *server) start(ctx context.Context, c contender, table, alter, logName string, more ...string) (*tool, error) {
	if err := os.MkdirAll(filepath.Join(s.out, "logs"), 0o755); err != nil {
		return nil, fmt.Errorf("making room for the log: %w", err)
	}
	t := &tool{logFile: filepath.Join(s.out, "logs", logName+".log"), done: make(chan struct{})}
	file, err := os.Create(t.logFile)
	if err != nil {
		return nil, fmt.Errorf("opening the log: %w", err)
	}
	if t.folder, err = os.MkdirTemp("", "gh-ost-bench"); err != nil {
		file.Close()
		return nil, fmt.Errorf("making room for the socket: %w", err)
	}
	t.log = newWatchedLog(file)
	arguments := []string{
		"--host=" + s.host, "--port=" + strconv.Itoa(s.port), "--user=" + s.user, "--password=" + s.password,
		"--database=" + s.schema, "--table=" + table, "--alter=" + alter,
		"--allow-on-master", "--ok-to-drop-table", "--initially-drop-ghost-table", "--initially-drop-old-table", "--verbose",
		"--serve-socket-file=" + t.path("socket"), "--throttle-additional-flag-file=" + t.path("throttle-all"), "--execute",
	}
	arguments = append(append(arguments, strings.Fields(s.more)...), t.expand(more)...)
	t.command = exec.CommandContext(ctx, c.path, arguments...)
	t.command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // an interrupt from the keyboard reaches it through us alone
	t.command.Cancel = func() error { return t.command.Process.Signal(syscall.SIGTERM) }
	t.command.WaitDelay = stopGrace
	t.command.Stdout, t.command.Stderr = io.Discard, t.log
	t.began = time.Now()
	if err := t.command.Start(); err != nil {
		file.Close()
		os.RemoveAll(t.folder)
		return nil, fmt.Errorf("starting %s: %w", c.name, err)
	}
	t.sampler = sample(t.command.Process.Pid)
	go func() {
		defer close(t.done)
		err := t.command.Wait()
		t.ended = time.Now()
		t.sampler.end()
		t.log.end()
		t.err = errors.Join(err, file.Close(), os.RemoveAll(t.folder))
	}()
	return t, nil
}

// path is a file of this run's own.
func (t *tool) path(name string) string { return filepath.Join(t.folder, name) }

// folderMark in a flag stands for the run's own folder.
const folderMark = "{}"

func (t *tool) expand(flags []string) []string {
	expanded := make([]string, len(flags))
	for i, text := range flags {
		expanded[i] = strings.ReplaceAll(text, folderMark, t.folder)
	}
	return expanded
}

// wait returns when the program has ended, with an error unless it succeeded. After limit it is told to end.
func (t *tool) wait(limit time.Duration) error {
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-t.done:
	case <-timer.C:
		t.stop()
		return &limitError{limit}
	}
	if t.err != nil {
		return fmt.Errorf("%w; the end of %s:\n%s", t.err, t.logFile, t.log.tail())
	}
	return nil
}

// stop ends the program, if it still runs, and waits for that.
func (t *tool) stop() {
	_ = t.command.Process.Signal(syscall.SIGTERM) // it may have ended by itself
	select {
	case <-t.done:
	case <-time.After(stopGrace):
		_ = t.command.Process.Kill()
		<-t.done
	}
}

// limitError says that a run was ended because it took too long.
type limitError struct{ limit time.Duration }

func (e *limitError) Error() string { return fmt.Sprintf("not done within %s", e.limit) }

// processorTime is what the program has used so far. After its end the kernel's own account is exact.
func (t *tool) processorTime() time.Duration {
	select {
	case <-t.done:
		if state := t.command.ProcessState; state != nil {
			return state.UserTime() + state.SystemTime()
		}
	default:
		if used, err := processorTime(t.command.Process.Pid); err == nil {
			return used
		}
	}
	used, _ := t.sampler.figures()
	return used
}

func (t *tool) peakMemory() int64 {
	_, peak := t.sampler.figures()
	return peak
}

// ask sends a command to the program's socket and returns the reply.
func (t *tool) ask(ctx context.Context, command string) (string, error) {
	var dialer net.Dialer
	conn, err := dialer.DialContext(ctx, "unix", t.path("socket"))
	if err != nil {
		return "", err
	}
	defer conn.Close()
	stop := context.AfterFunc(ctx, func() { conn.Close() })
	defer stop()
	if _, err := fmt.Fprintln(conn, command); err != nil {
		return "", err
	}
	reply, err := io.ReadAll(conn)
	return string(reply), err
}
