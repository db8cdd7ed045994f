package hooks

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"syscall"
	"time"
)

// outputGrace is how long the output of a killed hook may stay open. Only a child that has left the process group keeps it open.
const outputGrace = time.Second

// runProcess executes the file in a process group of its own, without arguments and input, copies what it prints to output, and returns when
// it has ended and its output is closed. When ctx ends before that, the group is killed and the context's cause is returned.
func runProcess(ctx context.Context, path string, environment []string, output io.Writer) error {
	reader, writer, err := os.Pipe()
	if err != nil {
		return fmt.Errorf("opening a pipe for its output: %w", err)
	}
	defer reader.Close()

	// Not exec.Command: it would look a bare file name up in PATH.
	command := &exec.Cmd{
		Path:        path,
		Args:        []string{path},
		Env:         environment,
		Stdout:      writer,
		Stderr:      writer,
		SysProcAttr: &syscall.SysProcAttr{Setpgid: true},
	}
	err = command.Start()
	writer.Close()
	if err != nil {
		return err
	}

	copied := make(chan error, 1)
	go func() {
		_, err := io.Copy(output, reader)
		copied <- err
	}()

	// The process is reaped only after its output is closed. Until then its id, which is the group's too, cannot be given to another one,
	// so that killing the group hits nobody else even if the script itself has ended long ago.
	select {
	case err := <-copied:
		return errors.Join(awaitExit(ctx, command), err)
	case <-ctx.Done():
		killGroup(command.Process)
		awaitOutput(copied, reader)
		_ = command.Wait() // says that it was killed
		return context.Cause(ctx)
	}
}

// awaitExit waits until the process has ended, and kills its group when ctx ends before.
func awaitExit(ctx context.Context, command *exec.Cmd) error {
	ended := make(chan error, 1)
	go func() { ended <- command.Wait() }()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
		killGroup(command.Process)
		<-ended //nolint:errcheck // the signal is what it ended by: ctx says why
		return context.Cause(ctx)
	}
}

// awaitOutput waits for the rest of a killed hook's output, but not for long.
func awaitOutput(copied <-chan error, reader *os.File) {
	timer := time.NewTimer(outputGrace)
	defer timer.Stop()
	select {
	case <-copied: //nolint:errcheck // losing output is told where it is copied
	case <-timer.C:
		_ = reader.Close() // it was to be given up
		<-copied           //nolint:errcheck // at once, as there is nothing to read from
	}
}

// killGroup kills the process and its children, unless it has been waited for already.
func killGroup(process *os.Process) {
	if errors.Is(process.Signal(syscall.Signal(0)), os.ErrProcessDone) {
		return
	}
	// The only errors are that nobody is left or that what is left belongs to another user; neither can be helped here.
	_ = syscall.Kill(-process.Pid, syscall.SIGKILL)
}
