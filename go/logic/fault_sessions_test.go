package logic

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/github/gh-ost/go/internal/testserver"
	"github.com/github/gh-ost/go/logic/cutover"
)

func TestFaultTheLockingSessionIsKilled(t *testing.T) {
	testserver.Both(t, func(t *testing.T, server *testserver.Server) {
		for _, step := range someSteps(cutover.Locking, cutover.Draining, cutover.Checking, cutover.Proving, cutover.Unlocking) {
			t.Run(step.String(), func(t *testing.T) {
				r := newFaultRun(t, server)
				r.at(step, func() { r.kill("CONNECTION", r.lockID()) })

				slipped := r.endTruthfully()

				r.requireReached(step)
				r.requireStall(500 * time.Millisecond)
				assert.False(t, slipped && step != cutover.Proving, "only between the sentry's drop and the proof can a write slip through")
				if step < cutover.Proving {
					assert.Equal(t, []string{"not swapped", "swapped"}, r.outcomes())
				}
			})
		}
	})
}

func TestFaultTheRenamingSessionIsKilled(t *testing.T) {
	testserver.Both(t, func(t *testing.T, server *testserver.Server) {
		for _, what := range []string{"CONNECTION", "QUERY"} {
			for _, step := range someSteps(cutover.Draining, cutover.Renaming, cutover.Checking, cutover.Proving, cutover.Unlocking) {
				t.Run(what+" "+step.String(), func(t *testing.T) {
					r := newFaultRun(t, server)
					r.at(step, func() { r.kill(what, r.renameID()) })

					r.succeed()

					r.requireReached(step)
					r.requireStall(500 * time.Millisecond)
				})
			}
		}
	})
}

func TestFaultTheRunIsToldToStop(t *testing.T) {
	testserver.Both(t, func(t *testing.T, server *testserver.Server) {
		for _, step := range someSteps(cutover.Preparing, cutover.Draining, cutover.Dropping, cutover.Proving, cutover.Unlocking, cutover.Swapping) {
			t.Run(step.String(), func(t *testing.T) {
				r := newFaultRun(t, server)
				stop := errors.New("told to stop")
				r.at(step, func() { r.Migrator.context.PanicAbort <- stop; time.Sleep(10 * time.Millisecond) })

				err := requireEnd(t, r.start(), time.Minute)

				require.ErrorIs(t, err, stop)
				r.requireReached(step)
				r.requireStall(200 * time.Millisecond)
				outcome := r.outcomes()
				require.Len(t, outcome, 1)
				assert.Equal(t, r.isSwapped(), outcome[0] == "swapped", "the outcome that is told is the true one")
				assert.Equal(t, step >= cutover.Unlocking, r.isSwapped())
				r.load.requireNothingLost(t, "t")
				r.requireClean()
			})
		}
	})
}
