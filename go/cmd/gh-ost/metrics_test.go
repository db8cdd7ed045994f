package main

import (
	"net"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestMetricsOfARunThatFailsAreSentBeforeItExits(t *testing.T) {
	listener, err := net.ListenUDP("udp", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	require.NoError(t, err)
	defer listener.Close()

	got := runCommand(t, append(runnable, "--statsd-addr="+listener.LocalAddr().String(), "--statsd-tags=cluster:main", "--statsd-tags=team:shop", "--runtime-metrics-interval=0")...)

	assert.Equal(t, 1, got.exitCode, "there is no server")
	buffer := make([]byte, 65536)
	require.NoError(t, listener.SetReadDeadline(time.Now().Add(5*time.Second)))
	length, _, err := listener.ReadFrom(buffer)
	require.NoError(t, err)
	assert.Contains(t, strings.Split(string(buffer[:length]), "\n"), "gh_ost.startup:1|c|#cluster:main,team:shop")

	got = runCommand(t, append(runnable, "--statsd-addr=nowhere")...)
	assert.Equal(t, 1, got.exitCode)
	assert.Contains(t, got.stderr, "--statsd-addr")
}
