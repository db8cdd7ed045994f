package metrics

import (
	"context"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m)
}

// listen receives datagrams as a statsd listener does. The function returns the lines that have come within a second, or
// until as many have come as are wanted.
func listen(t *testing.T, network, address string) (listening string, lines func(wanted int) []string) {
	t.Helper()
	connection, err := net.ListenPacket(network, address)
	require.NoError(t, err)
	t.Cleanup(func() { _ = connection.Close() })
	return connection.LocalAddr().String(), func(wanted int) []string {
		var received []string
		buffer := make([]byte, 65536)
		require.NoError(t, connection.SetReadDeadline(time.Now().Add(time.Second)))
		for len(received) < wanted {
			length, _, err := connection.ReadFrom(buffer)
			if err != nil {
				break
			}
			received = append(received, strings.Split(string(buffer[:length]), "\n")...)
		}
		return received
	}
}

func TestCountsAreSummedAndGaugesKeepTheLatestUntilTheFlush(t *testing.T) {
	address, lines := listen(t, "udp", "127.0.0.1:0")
	client, err := NewClient(address, []string{"cluster:main"}, "gh_ost")
	require.NoError(t, err)
	defer func() { require.NoError(t, client.Close()) }()

	client.Count("startup", 1)
	client.Count("cut_over.attempts_total", 2, "outcome:retry")
	client.Count("cut_over.attempts_total", 3, "outcome:retry")
	client.Count("cut_over.attempts_total", 1, "outcome:success")
	client.Gauge("throttle.active", 0)
	client.Gauge("throttle.active", 1)
	client.Histogram("query.duration_milliseconds", 12.5, "side:target")
	client.Histogram("query.duration_milliseconds", 3, "side:target")
	require.NoError(t, client.Flush())

	assert.Equal(t, []string{
		"gh_ost.throttle.active:1|g|#cluster:main",
		"gh_ost.cut_over.attempts_total:5|c|#cluster:main,outcome:retry",
		"gh_ost.cut_over.attempts_total:1|c|#cluster:main,outcome:success",
		"gh_ost.startup:1|c|#cluster:main",
		"gh_ost.query.duration_milliseconds:12.5|h|#cluster:main,side:target",
		"gh_ost.query.duration_milliseconds:3|h|#cluster:main,side:target",
	}, lines(6))

	client.Count("startup", 1)
	require.NoError(t, client.Flush())
	assert.Equal(t, []string{"gh_ost.startup:1|c|#cluster:main"}, lines(1), "a flush starts anew")
}

func TestCloseSendsWhatIsLeftAndCanBeRepeated(t *testing.T) {
	address, lines := listen(t, "udp", "127.0.0.1:0")
	client, err := NewClient(address, nil, "")
	require.NoError(t, err)

	client.Count("startup", 1)
	require.NoError(t, client.Close())
	require.NoError(t, client.Close())

	assert.Equal(t, []string{"startup:1|c"}, lines(1))
	client.Count("startup", 1) // goes nowhere and does no harm
	assert.ErrorIs(t, client.Flush(), net.ErrClosed)
}

func TestUnixSocketsAreReachedByAllThreeWritings(t *testing.T) {
	path := filepath.Join(t.TempDir(), "statsd.sock")
	_, lines := listen(t, "unixgram", path)
	for _, address := range []string{path, "unix:" + path, "unix://" + path} {
		client, err := NewClient(address, nil, "gh_ost")
		require.NoError(t, err, address)
		client.Gauge("lag.heartbeat_seconds", 0.25)
		require.NoError(t, client.Close())
		assert.Equal(t, []string{"gh_ost.lag.heartbeat_seconds:0.25|g"}, lines(1), address)
	}
}

func TestListenerThatComesBackIsConnectedAnew(t *testing.T) {
	path := filepath.Join(t.TempDir(), "statsd.sock")
	first, err := net.ListenPacket("unixgram", path)
	require.NoError(t, err)
	client, err := NewClient(path, nil, "")
	require.NoError(t, err)
	defer func() { require.NoError(t, client.Close()) }()

	require.NoError(t, first.Close())
	_ = os.Remove(path)
	client.Count("lost", 1)
	require.Error(t, client.Flush())
	assert.Equal(t, int64(1), client.Dropped())

	_, lines := listen(t, "unixgram", path)
	client.Count("kept", 1)
	require.NoError(t, client.Flush())
	assert.Equal(t, []string{"kept:1|c"}, lines(1))
}

func TestDatagramsStayBelowTheLimit(t *testing.T) {
	lines := slices.Repeat([]string{strings.Repeat("x", 40)}, 100)
	datagrams := packed(lines, 128)
	for _, datagram := range datagrams {
		assert.LessOrEqual(t, len(datagram), 128)
	}
	assert.Equal(t, lines, strings.Split(strings.Join(datagrams, "\n"), "\n"), "nothing is lost and the order is kept")
	assert.Equal(t, []string{strings.Repeat("y", 200), "z"}, packed([]string{strings.Repeat("y", 200), "z"}, 128))
}

func TestBusyHistogramIsSampledAndSaysSo(t *testing.T) {
	measured := newAggregate()
	for i := range 4 * maxObservations {
		measured.histogram(series{name: "h"}, float64(i))
	}
	lines := measured.drain()
	require.Len(t, lines, maxObservations)
	for _, line := range lines {
		assert.True(t, strings.HasSuffix(line, "|h|@0.25"), line)
	}
}

func TestReservedSignsDoNotBreakTheLine(t *testing.T) {
	client := &Client{prefix: "gh_ost.", tags: []string{"a:b"}}
	assert.Equal(t, series{name: "gh_ost.odd_name_", tags: "a:b,reason:lag=1_2_3_"}, client.series("odd|name\n", []string{"reason:lag=1,2|3\n"}))
}

func TestAddressesThatCannotBeUsedAreRefused(t *testing.T) {
	for _, address := range []string{"", "localhost", "localhost:", "/nowhere/statsd.sock", "127.0.0.1:no-such-port"} {
		_, err := NewClient(address, nil, "")
		assert.Error(t, err, address)
	}
	address, _ := listen(t, "udp", "127.0.0.1:0")
	_, err := NewClient(address, []string{"a,b"}, "")
	assert.ErrorContains(t, err, `"a,b"`)
}

func TestNoopDiscards(t *testing.T) {
	Noop.Gauge("g", 1)
	Noop.Count("c", 1)
	Noop.Histogram("h", 1)
	StartGoRuntimeReporter(t.Context(), Noop, time.Millisecond)
	StartGoRuntimeReporter(t.Context(), nil, time.Millisecond)
	assert.NoError(t, Noop.Flush())
	assert.NoError(t, Noop.Close())
}

func TestGoRuntimeIsReportedUntilTheClientCloses(t *testing.T) {
	address, lines := listen(t, "udp", "127.0.0.1:0")
	client, err := NewClient(address, nil, "gh_ost")
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()

	StartGoRuntimeReporter(ctx, client, time.Hour)
	require.NoError(t, client.Close())

	var names []string
	for _, line := range lines(6) {
		name, _, _ := strings.Cut(line, ":")
		names = append(names, name)
	}
	assert.Equal(t, []string{
		"gh_ost.go_runtime.alloc_bytes", "gh_ost.go_runtime.gc_pause_total_ns", "gh_ost.go_runtime.goroutines",
		"gh_ost.go_runtime.heap_inuse_bytes", "gh_ost.go_runtime.num_gc", "gh_ost.go_runtime.sys_bytes",
	}, names)
}
