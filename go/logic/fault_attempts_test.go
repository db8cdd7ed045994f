package logic

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/github/gh-ost/go/base"
	"github.com/github/gh-ost/go/internal/testserver"
	"github.com/github/gh-ost/go/logic/cutover"
)

// When the last attempt has failed nobody comes after it who would clear what it left.
func TestFaultTheLastAttemptLeavesNoSentry(t *testing.T) {
	const attempts = 4
	testserver.Both(t, func(t *testing.T, server *testserver.Server) {
		r := newFaultRun(t, server, func(c *base.MigrationContext) { c.SetDefaultNumRetries(attempts) })
		r.atTimes(cutover.Draining, attempts, func() { r.kill("CONNECTION", r.lockID()) })

		err := requireEnd(t, r.start(), time.Minute)

		require.ErrorContains(t, err, fmt.Sprintf("giving up the cut-over after %d attempts", attempts))
		assert.Len(t, r.outcomes(), attempts)
		assert.False(t, r.isSwapped())
		r.load.requireNothingLost(t, "t")
		assert.Equal(t, []string{"_t_ghc", "_t_gho", "t"}, tablesOf(t, r.admin, r.schema))
		r.requireClean()
	})
}

// Writers do not queue behind a session that waits for a read lock: where their transactions overlap all the time it
// would never get one.
func TestFaultWritersLeaveNoGap(t *testing.T) {
	testserver.Both(t, func(t *testing.T, server *testserver.Server) {
		r := newFaultRun(t, server, lockTimeout(1))
		ctx, stop := context.WithCancel(context.Background())
		ended := make(chan struct{}, 8)
		for range cap(ended) {
			go func() {
				defer func() { ended <- struct{}{} }()
				for ctx.Err() == nil {
					end := r.openTransaction("UPDATE t SET counter = counter WHERE 1 = 0")
					time.Sleep(500 * time.Millisecond)
					end()
				}
			}()
			time.Sleep(60 * time.Millisecond)
		}
		defer stop()

		require.NoError(t, requireEnd(t, r.start(), 2*time.Minute))

		stop()
		for range cap(ended) {
			<-ended
		}
		r.requireSwapped()
		assert.True(t, r.log.contains("Writers left no gap"), "else this proves nothing")
		r.requireStall(1250 * time.Millisecond)
	})
}

// A server that cannot be reached for longer than the attempts would last uses up none of them.
func TestFaultWaitingForTheServerCostsNoAttempt(t *testing.T) {
	testserver.Both(t, func(t *testing.T, server *testserver.Server) {
		r := newProxiedRun(t, server)
		r.at(cutover.Locking, func() {
			r.proxy.Partition()
			time.AfterFunc(5*time.Second, r.proxy.Heal)
		})

		r.succeed()

		assert.False(t, r.log.contains("attempt=3"), "%v", r.outcomes())
	})
}
