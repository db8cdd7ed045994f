package logic

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/github/gh-ost/go/base"
	"github.com/github/gh-ost/go/internal/testserver"
	"github.com/github/gh-ost/go/logic/cutover"
)

// The stream comes from a replica, which falls behind while the primary is locked.
func TestFaultTheReplicaStandsStillWhileThePrimaryIsLocked(t *testing.T) {
	testserver.BothFresh(t, testserver.Options{Replica: true}, func(t *testing.T, server *testserver.Server) {
		r := newFaultRun(t, server, lockTimeout(1), func(c *base.MigrationContext) {
			c.InspectorConnectionConfig.Key.Port = server.Replica.Port
		})
		replica := server.Replica.DB(t)
		var slowest time.Duration // of the faults, whose end the attempt waits for with the lock held
		thread := func(verb string) func() {
			statement := map[testserver.Flavor]string{testserver.MySQL: " REPLICA SQL_THREAD", testserver.MariaDB: " SLAVE SQL_THREAD"}[server.Flavor]
			return func() {
				began := time.Now()
				_, err := replica.Exec(verb + statement)
				assert.NoError(t, err)
				slowest = max(slowest, time.Since(began))
			}
		}
		r.atTimes(cutover.Draining, 2, thread("STOP"))
		r.atTimes(cutover.Clearing, 2, thread("START"))

		require.NoError(t, requireEnd(t, r.start(), 2*time.Minute))

		r.requireSwapped()
		assert.GreaterOrEqual(t, len(r.outcomes()), 3)
		for _, held := range r.writersHeld() {
			assert.LessOrEqual(t, held, 1250*time.Millisecond+slowest)
		}
		r.requireStall(1500*time.Millisecond + slowest)
	})
}
