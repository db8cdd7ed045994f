package server

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// running is a server that serves until its test ends.
type running struct {
	*Server
	migration *fakeMigration
	log       *testLog
	cancel    context.CancelFunc
	ended     chan error
}

// serve starts a server on a socket of its own, after the given changes to its configuration.
func serve(t *testing.T, change func(*Config)) *running {
	t.Helper()
	r := &running{migration: newFakeMigration(), log: &testLog{}, ended: make(chan error, 1)}
	config := Config{SocketFile: socketPath(t), Controls: r.migration, Log: r.log}
	if change != nil {
		change(&config)
	}
	r.Server = New(config)
	require.NoError(t, r.Listen(t.Context()))
	r.start(t)
	return r
}

func (r *running) start(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	r.cancel = cancel
	go func() { r.ended <- r.Serve(ctx) }()
	t.Cleanup(func() { cancel(); r.waitForEnd(t) })
}

func (r *running) waitForEnd(t *testing.T) {
	select {
	case err := <-r.ended:
		require.NoError(t, err)
		r.ended <- nil
	case <-time.After(5 * time.Second):
		t.Error("Serve did not return")
	}
}

// socketPath is short, which t.TempDir() is not for a test with a long name.
func socketPath(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "s")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, os.RemoveAll(dir)) })
	return filepath.Join(dir, "gh-ost.sock")
}

func freePort(t *testing.T) int {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer listener.Close()
	return listener.Addr().(*net.TCPAddr).Port
}

func (r *running) dial(t *testing.T) net.Conn {
	t.Helper()
	return dial(t, "unix", r.config.SocketFile)
}

func dial(t *testing.T, network, address string) net.Conn {
	t.Helper()
	conn, err := net.Dial(network, address)
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	require.NoError(t, conn.SetDeadline(time.Now().Add(10*time.Second)))
	return conn
}

// ask sends text and returns all that comes back until the server closes.
func (r *running) ask(t *testing.T, text string) string {
	t.Helper()
	return askOn(t, r.dial(t), text)
}

func askOn(t *testing.T, conn net.Conn, text string) string {
	t.Helper()
	_, err := io.WriteString(conn, text)
	require.NoError(t, err)
	reply, err := io.ReadAll(conn)
	require.NoError(t, err)
	return string(reply)
}

func TestAConnectionTakesOneLineAndIsClosed(t *testing.T) {
	r := serve(t, nil)
	require.Equal(t, "LINE\n", r.ask(t, "sup\n"))
	require.Equal(t, "LINE\n", r.ask(t, "sup\nchunk-size=77\nstatus\n"))
	require.Equal(t, int64(1000), r.migration.ChunkSize(), "further lines are ignored")

	conn := r.dial(t)
	_, err := io.WriteString(conn, "chunk-size=?")
	require.NoError(t, err)
	require.NoError(t, conn.(*net.UnixConn).CloseWrite())
	reply, err := io.ReadAll(conn)
	require.NoError(t, err)
	require.Equal(t, "1000\n", string(reply), "the end of input ends a line, too")
}

func TestSocketAndPortServeTogether(t *testing.T) {
	port := freePort(t)
	r := serve(t, func(c *Config) { c.TCPHost, c.TCPPort = "127.0.0.1", port })
	address := r.listeners[1].Addr().String()
	require.Equal(t, "LINE\n", askOn(t, dial(t, "tcp", address), "sup\n"))
	require.Equal(t, "LINE\n", r.ask(t, "sup\n"))
	require.Contains(t, r.log.all(), "INFO Listening on unix socket file: "+r.config.SocketFile)
	require.Contains(t, r.log.all(), "INFO Listening on tcp port: ")

	r.cancel()
	r.waitForEnd(t)
	require.Contains(t, r.log.all(), "INFO Removing socket file: "+r.config.SocketFile)
	require.NoFileExists(t, r.config.SocketFile)
	_, err := net.Dial("tcp", address)
	require.ErrorIs(t, err, syscall.ECONNREFUSED)
}

func TestTheSocketFileIsItsOwnersAlone(t *testing.T) {
	for mode, want := range map[fs.FileMode]fs.FileMode{0: 0o600, 0o660: 0o660, 0o666: 0o666} {
		r := serve(t, func(c *Config) { c.SocketMode = mode })
		file, err := os.Stat(r.config.SocketFile)
		require.NoError(t, err)
		require.Equal(t, want, file.Mode().Perm())
	}
}

func TestThereIsNoMomentAtWhichOthersCouldConnect(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("elsewhere the mode can only be set afterwards")
	}
	path := socketPath(t)
	listener, err := bindPrivately(t.Context(), path, 0o600)
	require.NoError(t, err)
	defer listener.Close()
	file, err := os.Stat(path)
	require.NoError(t, err)
	require.Equal(t, fs.FileMode(0o600), file.Mode().Perm())
}

// leaveStaleSocket leaves a socket file as a killed process does.
func leaveStaleSocket(t *testing.T, path string) {
	t.Helper()
	listener, err := net.Listen("unix", path)
	require.NoError(t, err)
	listener.(*net.UnixListener).SetUnlinkOnClose(false)
	require.NoError(t, listener.Close())
	require.FileExists(t, path)
}

func TestAStaleSocketFileIsReplaced(t *testing.T) {
	path := socketPath(t)
	leaveStaleSocket(t, path)
	r := serve(t, func(c *Config) { c.SocketFile = path })
	require.Equal(t, "LINE\n", r.ask(t, "sup\n"))
}

func TestASocketThatIsServedOnIsRefusedUnlessItIsToBeDropped(t *testing.T) {
	first := serve(t, nil)
	second := New(Config{SocketFile: first.config.SocketFile, Controls: newFakeMigration(), Log: &testLog{}})
	err := second.Listen(t.Context())
	require.ErrorContains(t, err, "address already in use")
	require.ErrorContains(t, err, first.config.SocketFile)
	require.ErrorContains(t, err, "--initially-drop-socket-file")
	require.Equal(t, "LINE\n", first.ask(t, "sup\n"), "the first is not disturbed, and its hook heard of nothing")

	third := serve(t, func(c *Config) {
		c.SocketFile, c.DropExistingSocket = first.config.SocketFile, true
	})
	third.migration.SetChunkSize(33)
	require.Equal(t, "33\n", third.ask(t, "chunk-size=?\n"))

	first.cancel()
	first.waitForEnd(t)
	require.Equal(t, "33\n", third.ask(t, "chunk-size=?\n"), "the first removed its own file only, which is gone")
}

func TestAddressesThatCannotBeHadAreRefusedClearly(t *testing.T) {
	for name, c := range map[string]struct {
		given func(t *testing.T, path string) Config
		want  []string
	}{
		"a path that is too long": {
			func(_ *testing.T, path string) Config {
				return Config{SocketFile: path + strings.Repeat("x", 108-len(path))}
			},
			[]string{"the path has 108 bytes, the system takes 107", "--serve-socket-file"},
		},
		"no path": {
			func(*testing.T, string) Config { return Config{} },
			[]string{"no path"},
		},
		"a directory that does not exist": {
			func(_ *testing.T, path string) Config { return Config{SocketFile: path + "/x/y"} },
			[]string{"no such file or directory", "--serve-socket-file"},
		},
		"a directory": {
			func(t *testing.T, path string) Config {
				require.NoError(t, os.Mkdir(path, 0o700))
				return Config{SocketFile: path, DropExistingSocket: true}
			},
			[]string{"a directory stands there"},
		},
		"a file that is no socket": {
			func(t *testing.T, path string) Config {
				require.NoError(t, os.WriteFile(path, []byte("precious"), 0o600))
				return Config{SocketFile: path}
			},
			[]string{"not a socket"},
		},
		"a port in use": {
			func(t *testing.T, path string) Config {
				listener, err := net.Listen("tcp", "127.0.0.1:0")
				require.NoError(t, err)
				t.Cleanup(func() { require.NoError(t, listener.Close()) })
				return Config{SocketFile: path, TCPHost: "127.0.0.1", TCPPort: listener.Addr().(*net.TCPAddr).Port}
			},
			[]string{"address already in use", "--serve-tcp-port"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			path := socketPath(t)
			config := c.given(t, path)
			config.Controls, config.Log = newFakeMigration(), &testLog{}
			before := contentsOf(t, path)
			err := New(config).Listen(t.Context())
			for _, text := range c.want {
				require.ErrorContains(t, err, text)
			}
			require.Equal(t, before, contentsOf(t, path), "nothing was left or taken away")
		})
	}
}

func contentsOf(t *testing.T, path string) string {
	content, err := os.ReadFile(path)
	if err != nil {
		return errors.Unwrap(err).Error()
	}
	return string(content)
}

func TestAPathThatBeginsWithAnAtSignIsAFile(t *testing.T) {
	t.Chdir(filepath.Dir(socketPath(t)))
	r := serve(t, func(c *Config) { c.SocketFile = "@gh-ost" })
	require.FileExists(t, "@gh-ost")
	require.Equal(t, "LINE\n", askOn(t, dial(t, "unix", "./@gh-ost"), "sup\n"))
	r.cancel()
	r.waitForEnd(t)
	require.NoFileExists(t, "@gh-ost")
}

func TestAServerThatNeverServedGivesItsAddressUp(t *testing.T) {
	s := New(Config{SocketFile: socketPath(t), Controls: newFakeMigration(), Log: &testLog{}})
	require.NoError(t, s.Listen(t.Context()))
	require.NoError(t, s.Close())
	require.NoError(t, s.Close())
	require.NoFileExists(t, s.config.SocketFile)
}

func TestOnlyOurOwnSocketFileIsRemoved(t *testing.T) {
	r := serve(t, nil)
	require.NoError(t, os.Remove(r.config.SocketFile))
	require.NoError(t, os.WriteFile(r.config.SocketFile, []byte("another's"), 0o600))
	r.cancel()
	r.waitForEnd(t)
	require.FileExists(t, r.config.SocketFile)
}

func TestSilentClientsAreSentAwayAndNoHookHearsOfThem(t *testing.T) {
	var heard atomic.Int32
	r := &running{migration: newFakeMigration(), log: &testLog{}, ended: make(chan error, 1)}
	r.Server = New(Config{SocketFile: socketPath(t), Controls: r.migration, Log: r.log,
		BeforeCommand: func(context.Context, string) error { heard.Add(1); return nil }})
	r.readTime = 50 * time.Millisecond
	require.NoError(t, r.Listen(t.Context()))
	r.start(t)

	require.NoError(t, r.dial(t).Close())
	require.Empty(t, askOn(t, r.dial(t), ""))
	require.Empty(t, askOn(t, r.dial(t), "panic"), "half a line is no command, either")
	require.Zero(t, heard.Load())
	require.Empty(t, r.migration.panics)
}

func TestLinesHaveALimit(t *testing.T) {
	r := serve(t, nil)
	longest := "throttle-query=" + strings.Repeat("x", maxLine-len("throttle-query="))
	require.Contains(t, r.ask(t, longest+"\n"), "HINTS")
	require.Len(t, r.migration.ThrottleQuery(), maxLine-len("throttle-query="))

	require.Equal(t, "the command is longer than 65536 bytes\n", r.ask(t, longest+"y\n"))
	require.Equal(t, "the command is longer than 65536 bytes\n", r.ask(t, strings.Repeat("y", 512<<10)), "although its sender has not finished")
}

func TestAClientThatDoesNotReadIsGivenUp(t *testing.T) {
	r := &running{migration: newFakeMigration(), log: &testLog{}, ended: make(chan error, 1)}
	r.migration.status = func(_ context.Context, w io.Writer) error {
		_, err := io.WriteString(w, strings.Repeat("x", 8<<20))
		return err
	}
	r.Server = New(Config{SocketFile: socketPath(t), Controls: r.migration, Log: r.log})
	r.writeTime = 50 * time.Millisecond
	require.NoError(t, r.Listen(t.Context()))
	r.start(t)

	conn := r.dial(t)
	_, err := io.WriteString(conn, "status\n")
	require.NoError(t, err)
	require.Eventually(t, func() bool { return strings.Contains(r.log.all(), "WARNING replying") }, 5*time.Second, 5*time.Millisecond)
	require.Equal(t, "LINE\n", r.ask(t, "sup\n"))
}

func TestACrowdedPortDoesNotShutOutTheSocket(t *testing.T) {
	port := freePort(t)
	r := serve(t, func(c *Config) { c.TCPHost, c.TCPPort = "127.0.0.1", port })
	address := r.listeners[1].Addr().String()
	crowd := make([]net.Conn, maxConnections+1)
	for i := range crowd {
		crowd[i] = dial(t, "tcp", address)
	}
	require.Equal(t, "LINE\n", r.ask(t, "sup\n"))

	late := dial(t, "tcp", address)
	_, err := io.WriteString(late, "sup\n")
	require.NoError(t, err)
	for _, conn := range crowd {
		require.NoError(t, conn.Close())
	}
	reply, err := io.ReadAll(late)
	require.NoError(t, err)
	require.Equal(t, "LINE\n", string(reply), "who waits is served when there is room")
}

func TestASlowCommandHoldsUpNoOther(t *testing.T) {
	r := serve(t, nil)
	entered := make(chan struct{})
	r.migration.status = func(ctx context.Context, _ io.Writer) error {
		close(entered)
		<-ctx.Done()
		return ctx.Err()
	}
	slow := r.dial(t)
	_, err := io.WriteString(slow, "status\n")
	require.NoError(t, err)
	<-entered
	require.Equal(t, "LINE\n", r.ask(t, "sup\n"))

	r.cancel()
	r.waitForEnd(t)
	reply, err := io.ReadAll(slow)
	require.NoError(t, err)
	require.Equal(t, "context canceled\n", string(reply))
}

// endingMigration ends the server the moment it is told to panic, as a real one may.
type endingMigration struct {
	*fakeMigration
	end func()
}

func (m endingMigration) Panic(reason error) {
	m.fakeMigration.Panic(reason)
	m.end()
	time.Sleep(50 * time.Millisecond)
}

func TestTheReplyToPanicArrivesAlthoughThePanicEndsTheServer(t *testing.T) {
	var r *running
	r = serve(t, func(c *Config) {
		c.Controls = endingMigration{newFakeMigration(), func() { r.cancel() }}
	})
	silent := r.dial(t)
	require.Contains(t, r.ask(t, "panic\n"), "user commanded 'panic'")
	r.waitForEnd(t)
	require.NoFileExists(t, r.config.SocketFile)
	_, err := io.ReadAll(silent)
	require.NoError(t, err, "a client that had asked nothing is just sent away")
}

func TestAFaultInACommandCostsItsReplyOnly(t *testing.T) {
	r := serve(t, nil)
	r.migration.status = func(context.Context, io.Writer) error { panic("index out of range") }
	require.Contains(t, r.ask(t, "status\n"), "internal error")
	require.Contains(t, r.log.all(), "index out of range")
	require.Equal(t, "LINE\n", r.ask(t, "sup\n"))
}

func TestGarbageIsHarmless(t *testing.T) {
	r := serve(t, nil)
	rapid.Check(t, func(rt *rapid.T) {
		garbage := rapid.SliceOfN(rapid.Byte(), 1, 3000).Draw(rt, "garbage")
		conn, err := net.Dial("unix", r.config.SocketFile)
		if err != nil {
			rt.Fatal(err)
		}
		defer conn.Close()
		_, _ = conn.Write(garbage)
		_ = conn.(*net.UnixConn).CloseWrite()
		reply, err := io.ReadAll(conn)
		if err != nil || len(reply) == 0 {
			rt.Fatalf("reply %q, error %v", reply, err)
		}
		if strings.ContainsFunc(strings.TrimSuffix(string(reply), "\n"), func(c rune) bool { return c < ' ' }) {
			rt.Fatalf("reply %q brings control characters to a terminal", reply)
		}
	})
	require.Equal(t, "LINE\n", r.ask(t, "sup\n"))
}
