package logic

import (
	"context"
	gosql "database/sql"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/github/gh-ost/go/internal/testserver"
	"github.com/github/gh-ost/go/logic/cutover"
	"github.com/github/gh-ost/go/mysql"
)

func TestFaultTheServerRestarts(t *testing.T) {
	testserver.BothFresh(t, testserver.Options{Durable: true}, func(t *testing.T, server *testserver.Server) {
		for _, step := range someSteps(cutover.Draining, cutover.Proving) {
			t.Run(step.String(), func(t *testing.T) {
				r := newFaultRun(t, server)
				up := make(chan struct{})
				r.at(step, func() {
					server.Kill(t)
					go func() { defer close(up); server.Restart(t) }()
				})

				slipped := r.endTruthfully()

				<-up
				r.requireReached(step)
				assert.False(t, slipped && step != cutover.Proving)
			})
		}
	})
}

func TestFaultTheServerTakesNoMoreConnections(t *testing.T) {
	testserver.Both(t, func(t *testing.T, server *testserver.Server) {
		r := newFaultRun(t, server)
		admin, err := r.admin.Conn(t.Context())
		require.NoError(t, err)
		defer admin.Close()
		var usual int
		require.NoError(t, admin.QueryRowContext(t.Context(), "SELECT @@GLOBAL.max_connections").Scan(&usual))
		set := func(connections int) {
			_, err := admin.ExecContext(context.Background(), fmt.Sprintf("SET GLOBAL max_connections = %d", connections))
			assert.NoError(t, err)
		}
		defer set(usual)
		r.at(cutover.Locking, func() { // the sessions of the first attempt are there already; the second one gets none
			r.kill("CONNECTION", r.lockID())
			set(10)
			time.AfterFunc(3*time.Second, func() { set(usual) })
		})

		r.succeed()

		assert.True(t, r.log.contains("Too many connections"), "the fault has happened")
		r.requireStall(300 * time.Millisecond)
	})
}

// A session that holds the migration lock and is lost is replaced, whether the server knows of the loss or not.
func TestFaultTheMigrationLockIsLost(t *testing.T) {
	testserver.Both(t, func(t *testing.T, server *testserver.Server) {
		config := migrationLockConfig(server)
		const name = "gh-ost fault test"
		lock, err := acquireMigrationLock(t.Context(), config, []string{name})
		require.NoError(t, err)
		defer lock.release(t.Context())
		require.NoError(t, lock.check(t.Context()))
		db := server.DB(t)
		holder := func() (id gosql.Null[int64]) {
			require.NoError(t, db.QueryRow("SELECT IS_USED_LOCK(?)", name).Scan(&id))
			return id
		}

		t.Run("the server has ended it", func(t *testing.T) {
			_, err := db.Exec(fmt.Sprintf("KILL %d", holder().V))
			require.NoError(t, err)
			require.Eventually(t, func() bool { return !holder().Valid }, 5*time.Second, 5*time.Millisecond)
			require.Error(t, lock.check(t.Context()))
			require.NoError(t, lock.restore(t.Context()))
			require.NoError(t, lock.check(t.Context()))
		})
		t.Run("the server has not noticed", func(t *testing.T) {
			lost := holder().V
			require.NoError(t, lock.restore(t.Context()))
			assert.NotEqual(t, lost, holder().V)
			require.NoError(t, lock.check(t.Context()))
		})
		t.Run("somebody else has it", func(t *testing.T) {
			_, err := db.Exec(fmt.Sprintf("KILL %d", holder().V))
			require.NoError(t, err)
			other, err := acquireOnce(t, config, name)
			require.NoError(t, err)
			defer other.release(t.Context())
			require.ErrorContains(t, lock.restore(t.Context()), "holds the lock")
		})
	})
}

func migrationLockConfig(server *testserver.Server) *mysql.ConnectionConfig {
	config := mysql.NewConnectionConfig()
	config.Key = mysql.InstanceKey{Hostname: server.Host, Port: server.Port}
	config.User, config.Password = server.User, server.Password
	return config
}

// acquireOnce takes the lock as soon as the server has ended the session that held it.
func acquireOnce(t *testing.T, config *mysql.ConnectionConfig, name string) (lock *migrationLock, err error) {
	require.Eventually(t, func() bool {
		lock, err = acquireMigrationLock(t.Context(), config, []string{name})
		return err == nil
	}, 5*time.Second, 10*time.Millisecond)
	return lock, err
}

// A script that starts one run behind the other must not be told that the first is still there.
func TestTheMigrationLockIsFreeWhenItWasGivenBack(t *testing.T) {
	testserver.Both(t, func(t *testing.T, server *testserver.Server) {
		for range 50 {
			lock, err := acquireMigrationLock(t.Context(), migrationLockConfig(server), []string{"gh-ost::released.t", "gh-ost::released._t_gho"})
			require.NoError(t, err)
			lock.release(t.Context())
		}
	})
}
