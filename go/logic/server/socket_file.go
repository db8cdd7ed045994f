package server

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"strings"
	"syscall"
	"time"
)

// probeTimeout is how long a file's process may take to accept, before it is taken for alive but busy.
const probeTimeout = time.Second

// socketFile is the file that a listener made.
type socketFile struct {
	path string
	made fs.FileInfo // to tell it from a file that came later
}

// listenOnSocketFile occupies the path. A socket that a dead process left there is replaced; with dropExisting any file is.
func listenOnSocketFile(ctx context.Context, path string, mode fs.FileMode, dropExisting bool) (*socketFile, net.Listener, error) {
	fail := func(err error) (*socketFile, net.Listener, error) {
		return nil, nil, fmt.Errorf("listening on socket file %s (--serve-socket-file): %w", path, err)
	}
	if path == "" {
		return fail(errors.New("no path is given"))
	}
	if strings.HasPrefix(path, "@") { // to the system a name without a file, open to everyone
		path = "./" + path
	}
	if longest := len(syscall.RawSockaddrUnix{}.Path) - 1; len(path) > longest {
		return fail(fmt.Errorf("the path has %d bytes, the system takes %d; choose a shorter one", len(path), longest))
	}
	if err := makeWay(ctx, path, dropExisting); err != nil {
		return fail(err)
	}
	listener, err := bindSocketFile(ctx, path, mode)
	if err != nil {
		return fail(err)
	}
	made, err := os.Lstat(path)
	if err != nil {
		return fail(errors.Join(err, listener.Close()))
	}
	return &socketFile{path: path, made: made}, listener, nil
}

// bindSocketFile creates the file and gives it its mode. The umask may have taken bits away that the mode wants; on systems
// that do not heed the socket's own mode, chmod also has to close the file to others.
func bindSocketFile(ctx context.Context, path string, mode fs.FileMode) (*net.UnixListener, error) {
	listener, err := bindPrivately(ctx, path, mode)
	if err != nil {
		return nil, err
	}
	listener.SetUnlinkOnClose(false) // it would remove whatever stands there by then
	if err := os.Chmod(path, mode.Perm()); err != nil {
		return nil, errors.Join(err, os.Remove(path), listener.Close())
	}
	return listener, nil
}

// bindPrivately creates the file with no more permissions than the mode has: Linux derives them from the socket's own, so
// there is no moment at which others could connect.
func bindPrivately(ctx context.Context, path string, mode fs.FileMode) (*net.UnixListener, error) {
	config := net.ListenConfig{Control: func(_, _ string, raw syscall.RawConn) error {
		return raw.Control(func(fd uintptr) { _ = syscall.Fchmod(int(fd), uint32(mode.Perm())) }) // other systems may refuse
	}}
	listener, err := config.Listen(ctx, "unix", path)
	if err != nil {
		return nil, err
	}
	unix, ok := listener.(*net.UnixListener)
	if !ok {
		return nil, errors.Join(fmt.Errorf("got a %T for a socket file", listener), listener.Close())
	}
	return unix, nil
}

// makeWay removes what stands at the path, if that may be done.
func makeWay(ctx context.Context, path string, dropExisting bool) error {
	existing, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case existing.IsDir():
		return errors.New("a directory stands there; name a file")
	case dropExisting:
		return os.Remove(path)
	case existing.Mode().Type() != fs.ModeSocket:
		return errors.New("a file that is not a socket stands there; remove it, or choose another path")
	}
	if err := refuseIfAlive(ctx, path); err != nil {
		return err
	}
	// Another run may have found the same stale file and replaced it while we knocked: that one is alive.
	if again, err := os.Lstat(path); err != nil || !sameFile(existing, again) {
		return errors.New("another process is just beginning to serve there; choose another path")
	}
	return os.Remove(path)
}

// refuseIfAlive connects: only a socket whose process is gone refuses that.
func refuseIfAlive(ctx context.Context, path string) error {
	ctx, cancel := context.WithTimeout(ctx, probeTimeout)
	defer cancel()
	conn, err := (&net.Dialer{}).DialContext(ctx, "unix", path)
	switch {
	case err == nil:
		return errors.Join(errors.New("address already in use: another process serves there; choose another path, end that process, or give --initially-drop-socket-file"), conn.Close())
	case errors.Is(err, syscall.ECONNREFUSED):
		return nil
	default:
		return fmt.Errorf("address already in use, and whether its process is alive cannot be told: %w; choose another path, or give --initially-drop-socket-file", err)
	}
}

// remove removes the file while its listener still holds it, so that no other file can be taken for it. What has come in its
// place stays.
func (f *socketFile) remove() error {
	now, err := os.Lstat(f.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("removing socket file %s: %w", f.path, err)
	}
	if !sameFile(f.made, now) {
		return nil
	}
	return os.Remove(f.path)
}

func sameFile(a, b fs.FileInfo) bool {
	return os.SameFile(a, b) && a.ModTime().Equal(b.ModTime())
}
