package logic

import (
	"regexp"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/github/gh-ost/go/internal/testproxy"
	"github.com/github/gh-ost/go/internal/testserver"
	"github.com/github/gh-ost/go/logic/cutover"
)

// stream is the connection that carries the binary log.
func (r *faultRun) stream() *testproxy.Conn {
	found := r.proxy.Find(func(_ *testproxy.Conn, command testproxy.Command) bool {
		return command.Name == "COM_BINLOG_DUMP" || command.Name == "COM_BINLOG_DUMP_GTID"
	})
	require.NotEmpty(r.t, found)
	return found[len(found)-1]
}

var heldWriters = regexp.MustCompile(`outcome="not swapped" writers-held=([0-9.]+)ms`)

// writersHeld is what the reports of failed attempts say.
func (r *faultRun) writersHeld() (held []time.Duration) {
	r.log.mutex.Lock()
	defer r.log.mutex.Unlock()
	for _, line := range r.log.lines {
		if match := heldWriters.FindStringSubmatch(line); match != nil {
			millis, err := strconv.ParseFloat(match[1], 64)
			require.NoError(r.t, err)
			held = append(held, time.Duration(millis*float64(time.Millisecond)))
		}
	}
	return held
}

// The first report from the field: a lock that was not released when the events up to it did not arrive in time.
func TestFaultFieldReportTheLockThatWasNotReleased(t *testing.T) {
	attempts := 3
	if allFaults() {
		attempts = 10
	}
	testserver.Both(t, func(t *testing.T, server *testserver.Server) {
		r := newProxiedRun(t, server, lockTimeout(1))
		r.atTimes(cutover.Draining, attempts, func() { r.stream().Stall(testproxy.ToClient) })
		r.atTimes(cutover.Clearing, attempts, func() { r.stream().Resume() })

		r.succeed()

		require.Len(t, r.outcomes(), attempts+1)
		for _, held := range r.writersHeld() {
			assert.LessOrEqual(t, held, 1250*time.Millisecond, "the table is writable again within the timeout and 250 ms")
			assert.GreaterOrEqual(t, held, time.Second, "the attempt waits for its time")
		}
		r.requireStall(1250 * time.Millisecond)
		t.Log(r.writersHeld(), r.load.WriteWaits(time.Time{}, time.Time{}))
	})
}
