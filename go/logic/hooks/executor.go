package hooks

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// ErrTimeout is the cause of a HookError when the hook was killed because it ran longer than the executor's timeout.
var ErrTimeout = errors.New("killed: it ran longer than the hooks' timeout")

// A HookError says which file failed at which event, and why: an *exec.ExitError, ErrTimeout, the context's cause, or what kept the file
// from being executed.
type HookError struct {
	Event Event
	Path  string
	Err   error
}

func (e *HookError) Error() string {
	return fmt.Sprintf("%s hook %s failed: %v", e.Event, e.Path, e.Err)
}

func (e *HookError) Unwrap() error { return e.Err }

// Logger is what the executor needs of the migration's log.
type Logger interface {
	Infof(format string, args ...interface{})
	Errorf(format string, args ...interface{}) error
}

// Executor runs the hooks of a directory. It may be used by several goroutines at once; each event's hooks run one after the other, and
// lines of output of different hooks are never mixed.
type Executor struct {
	path    string
	timeout time.Duration
	log     Logger

	outputMutex sync.Mutex
	output      io.Writer
}

// NewExecutor returns an executor for the hooks in the directory path; with an empty path, or while the directory does not exist, there are
// no hooks. A hook that runs longer than timeout is killed; zero means no limit. What hooks print goes to output, a line at a time.
func NewExecutor(path string, timeout time.Duration, output io.Writer, log Logger) *Executor {
	return &Executor{path: path, timeout: timeout, output: output, log: log}
}

// Run executes the hooks of the event and waits for them. extra are the variables (NAME=value) that only this event has; they win over
// the environment's. The error is that of the first hook that fails, a *HookError, or says that the directory cannot be read.
// When ctx ends, the running hook is killed and no further one is started.
func (e *Executor) Run(ctx context.Context, event Event, environment Environment, extra ...string) error {
	paths, err := e.find(event)
	if err != nil {
		return e.logged(fmt.Errorf("looking for %s hooks in %s: %w", event, e.path, err))
	}
	if len(paths) == 0 {
		return nil
	}
	variables := append(os.Environ(), environment.Variables()...)
	variables = append(variables, extra...)
	for _, path := range paths {
		e.log.Infof("executing %s hook: %s", event, path)
		if err := e.execute(ctx, path, variables); err != nil {
			return e.logged(&HookError{Event: event, Path: path, Err: err})
		}
	}
	return nil
}

// logged logs the error: whether it also ends the migration depends on the event, and it must be seen even if not.
func (e *Executor) logged(err error) error {
	_ = e.log.Errorf("%v", err) // a logger returns what it was told
	return err
}

// find returns the files whose names begin with the event's, in byte order.
func (e *Executor) find(event Event) ([]string, error) {
	if e.path == "" {
		return nil, nil
	}
	entries, err := os.ReadDir(e.path) // sorted by name
	if errors.Is(err, fs.ErrNotExist) {
		// The path itself may be a pattern that stands for several directories.
		return filepath.Glob(filepath.Join(e.path, string(event)+"*"))
	}
	if err != nil {
		return nil, err
	}
	var paths []string
	for _, entry := range entries {
		if strings.HasPrefix(entry.Name(), string(event)) {
			paths = append(paths, filepath.Join(e.path, entry.Name()))
		}
	}
	return paths, nil
}

func (e *Executor) execute(ctx context.Context, path string, variables []string) error {
	if err := context.Cause(ctx); err != nil {
		return err
	}
	if e.timeout > 0 {
		timed, cancel := context.WithTimeoutCause(ctx, e.timeout, ErrTimeout)
		defer cancel()
		ctx = timed
	}
	e.log.Infof("executing hook: %s", path) // known to scripts, like the line that names the event
	lines := newLineWriter(&lockedWriter{mutex: &e.outputMutex, writer: e.output})
	err := runProcess(ctx, path, variables, lines)
	if outputErr := lines.Flush(); outputErr != nil {
		// What a hook decides must not depend on whether somebody reads what it says.
		_ = e.log.Errorf("output of hook %s is lost: %v", path, outputErr)
	}
	return err
}
