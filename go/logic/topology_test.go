package logic

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/github/gh-ost/go/base"
	"github.com/github/gh-ost/go/internal/testserver"
	"github.com/github/gh-ost/go/mysql"
)

func TestServersThatReplicateFromOneAnotherNeedTheUsersWord(t *testing.T) {
	testserver.BothFresh(t, testserver.Options{Replica: true}, func(t *testing.T, server *testserver.Server) {
		replica := server.Replica
		schema := withRows(t, server, 100)
		server.CatchUp(t)
		ring := "CHANGE REPLICATION SOURCE TO SOURCE_HOST = '127.0.0.1', SOURCE_PORT = %d, SOURCE_USER = 'replica', SOURCE_PASSWORD = 'replica'," +
			" SOURCE_AUTO_POSITION = 1, GET_SOURCE_PUBLIC_KEY = 1; START REPLICA"
		if server.Flavor == testserver.MariaDB {
			ring = "SET GLOBAL gtid_slave_pos = @@gtid_binlog_pos; CHANGE MASTER TO MASTER_HOST = '127.0.0.1', MASTER_PORT = %d, MASTER_USER = 'replica'," +
				" MASTER_PASSWORD = 'replica', MASTER_USE_GTID = slave_pos; START SLAVE"
		}
		server.Exec(t, fmt.Sprintf(ring, replica.Port))
		require.NoError(t, replicaOf(t, server).AwaitRunning(t.Context(), 20*time.Second))

		err := requireEnd(t, newMigration(t, replica, schema, "t", "ADD COLUMN extra int", onReplica(func(*base.MigrationContext) {})).start(), time.Minute)
		var topology *mysql.TopologyError
		require.ErrorAs(t, err, &topology)
		assert.ErrorContains(t, err, "allow-master-master")

		m := newMigration(t, replica, schema, "t", "ADD COLUMN extra int", onReplica(func(c *base.MigrationContext) { c.AllowedMasterMaster = true }))
		require.NoError(t, requireEnd(t, m.start(), time.Minute))

		assert.True(t, m.log.contains(fmt.Sprintf("Master found to be 127.0.0.1:%d", server.Port)))
		for _, on := range []*testserver.Server{server, replica} {
			server.CatchUp(t)
			var extra int
			require.NoError(t, on.DB(t).QueryRow("SELECT COUNT(extra) FROM "+schema+".t").Scan(&extra))
		}
	})
}

func TestAReplicaThatDoesNotLogWhatItReplicatesIsForTungstenOnly(t *testing.T) {
	server := testserver.Start(t, testserver.Options{Replica: true, Args: []string{"--skip-log-replica-updates"}})
	schema := withRows(t, server, 100)
	server.CatchUp(t)
	for name, option := range map[string]func(c *base.MigrationContext){
		"not told":   func(*base.MigrationContext) {},
		"on replica": func(c *base.MigrationContext) { c.IsTungsten, c.MigrateOnReplica = true, true },
	} {
		err := requireEnd(t, newMigration(t, server.Replica, schema, "t", "ADD COLUMN extra int", onReplica(option)).start(), time.Minute)
		require.ErrorContains(t, err, `log_replica_updates = "OFF"`, name)
	}

	// The primary's own changes are logged whatever it does with those of others.
	m := newMigration(t, server, schema, "t", "ADD COLUMN extra int")
	require.NoError(t, requireEnd(t, m.start(), time.Minute))
	assert.True(t, m.log.contains("WARNING not needed here"))

	// With --tungsten the run goes on to wait for its own events, which this replica does not log.
	m = newMigration(t, server.Replica, schema, "t", "ENGINE=InnoDB", onReplica(func(c *base.MigrationContext) {
		c.IsTungsten, c.InitiallyDropOldTable = true, true
	}))
	result := m.start()
	require.Eventually(t, func() bool { return m.log.contains("Waiting for ghost table to be migrated") }, 20*time.Second, 10*time.Millisecond)
	stop := errors.New("enough")
	m.context.PanicAbort <- stop
	require.ErrorIs(t, requireEnd(t, result, time.Minute), stop)
}
