package logic

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/github/gh-ost/go/base"
	"github.com/github/gh-ost/go/internal/testproxy"
	"github.com/github/gh-ost/go/internal/testserver"
	"github.com/github/gh-ost/go/logic/cutover"
)

func twoStep(c *base.MigrationContext) { c.CutOverType = base.CutOverTwoStep }

func TestTwoStepsSwapALiveTableAndNoClientMissesIt(t *testing.T) {
	testserver.Both(t, func(t *testing.T, server *testserver.Server) {
		for range 3 {
			r := newFaultRun(t, server, twoStep)

			r.succeed()

			r.requireStall(200 * time.Millisecond)
			assert.Equal(t, []string{"swapped"}, r.outcomes())
			last := -1
			for _, text := range []string{"Locking `", "Table locked", "Writing changelog state: AllEventsUpToLockProcessed", "Done waiting for events up to lock",
				"Renaming original table", "Renaming ghost table", "Tables renamed", "Unlocking tables", "Tables unlocked"} {
				at := r.log.place(text)
				assert.Greater(t, at, last, "%s comes in its order", text)
				last = at
			}
		}
	})
}

// place is the number of the first line that has the text; -1 if none has.
func (l *recordingLogger) place(text string) int {
	for i := range l.lines {
		if strings.Contains(l.lines[i], text) {
			return i
		}
	}
	return -1
}

func TestFaultTwoStepsLoseASession(t *testing.T) {
	testserver.Both(t, func(t *testing.T, server *testserver.Server) {
		for _, step := range []cutover.Phase{cutover.Locking, cutover.Draining, cutover.Renaming, cutover.Swapping} {
			t.Run("locking session at "+step.String(), func(t *testing.T) {
				r := newFaultRun(t, server, twoStep)
				r.at(step, func() { r.kill("CONNECTION", r.lockID()) })
				r.succeed()
				r.requireReached(step)
				r.requireStall(500 * time.Millisecond)
				assert.Equal(t, []string{"not swapped", "swapped"}, r.outcomes())
			})
		}
		for _, what := range []string{"QUERY", "CONNECTION"} {
			t.Run("renaming session, before the original loses its name: "+what, func(t *testing.T) {
				r := newFaultRun(t, server, twoStep)
				r.at(cutover.Swapping, func() { r.kill(what, r.renameID()) })

				require.NoError(t, requireEnd(t, r.start(), time.Minute))

				// For a moment there is no table: the server cannot be kept from that. Then the original is back.
				assert.True(t, r.log.contains("giving `"+r.schema+"`.`t` its name back"))
				assert.Equal(t, []string{"not swapped", "swapped"}, r.outcomes())
				r.load.stop()
				report, err := r.load.Verify(t.Context(), nil, "t")
				require.NoError(t, err)
				require.NoError(t, report.Err(), report.String())
				require.Zero(t, r.load.Stats().Contradictions, "%v", r.load.Stats().ContradictionSamples)
				assert.Equal(t, []string{"_t_del", "t"}, tablesOf(t, r.admin, r.schema))
				r.requireClean()
			})
		}
	})
}

func TestFaultTwoStepsAreToldToStop(t *testing.T) {
	testserver.Both(t, func(t *testing.T, server *testserver.Server) {
		for _, step := range []cutover.Phase{cutover.Preparing, cutover.Draining, cutover.Renaming, cutover.Swapping} {
			t.Run(step.String(), func(t *testing.T) {
				r := newFaultRun(t, server, twoStep)
				stop := errors.New("told to stop")
				r.at(step, func() { r.Migrator.context.PanicAbort <- stop; time.Sleep(10 * time.Millisecond) })

				require.ErrorIs(t, requireEnd(t, r.start(), time.Minute), stop)

				r.requireReached(step)
				r.requireStall(200 * time.Millisecond)
				assert.Equal(t, r.isSwapped(), r.outcomes()[0] == "swapped", "the outcome that is told is the true one")
				r.load.requireNothingLost(t, "t")
				r.requireClean()
			})
		}
	})
}

func TestFaultTwoStepsMeetABadNetwork(t *testing.T) {
	testserver.Both(t, func(t *testing.T, server *testserver.Server) {
		t.Run("events do not arrive", func(t *testing.T) {
			r := newProxiedRun(t, server, twoStep, lockTimeout(1))
			r.at(cutover.Draining, func() { r.stream().Stall(testproxy.ToClient) })
			r.at(cutover.Killing, func() { r.stream().Resume() })
			r.succeed()
			r.requireReached(cutover.Killing)
			r.requireStall(1250 * time.Millisecond)
			assert.True(t, r.log.contains("timeout while waiting for events up to lock"))
		})
		t.Run("the locking session stalls", func(t *testing.T) {
			r := newProxiedRun(t, server, twoStep)
			r.at(cutover.Draining, func() { r.connection(r.lockID()).Stall() })
			r.at(cutover.Settling, func() { r.connection(r.lockID()).Resume() })
			r.succeed()
			r.requireReached(cutover.Draining)
			r.requireStall(4 * time.Second) // the lock timeout, and the time to end the session
		})
		t.Run("the answer that the original was renamed is lost", func(t *testing.T) {
			r := newProxiedRun(t, server, twoStep)
			r.at(cutover.Swapping, func() { r.connection(r.lockID()).Stall(testproxy.ToClient) })
			r.at(cutover.Settling, func() { r.connection(r.lockID()).Resume() })
			r.succeed()
			assert.Equal(t, []string{"swapped"}, r.outcomes(), "the server was asked")
		})
	})
}
