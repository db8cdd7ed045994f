package logic

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/github/gh-ost/go/base"
	"github.com/github/gh-ost/go/internal/ledger"
	"github.com/github/gh-ost/go/internal/testserver"
	"github.com/github/gh-ost/go/mysql"
)

func TestAReplicaThatLogsStatementsIsSwitchedToRows(t *testing.T) {
	testserver.BothFresh(t, testserver.Options{Replica: true, Args: []string{"--binlog-format=MIXED"}}, func(t *testing.T, server *testserver.Server) {
		replica := server.Replica
		schema := server.Schema(t)
		load := startLoad(t, server, schema, "t", ledger.Options{Rows: 500, Writers: 3})
		server.CatchUp(t)
		migrate := func(on *testserver.Server, option func(c *base.MigrationContext)) (*migration, error) {
			m := newMigration(t, on, schema, "t", "ADD COLUMN extra int NOT NULL DEFAULT 7", option)
			return m, requireEnd(t, m.start(), time.Minute)
		}

		_, err := migrate(replica, onReplica(func(*base.MigrationContext) {}))
		require.ErrorContains(t, err, `binlog_format = "MIXED"`)

		if server.Flavor == testserver.MariaDB {
			server.Exec(t, "GRANT REPLICATION MASTER ADMIN ON *.* TO 'gh-ost'@'%'") // to see the attached replicas
			server.CatchUp(t)
		}
		_, err = migrate(server, func(c *base.MigrationContext) { c.SwitchToRowBinlogFormat = true })
		require.ErrorContains(t, err, "--switch-to-rbr")
		require.ErrorContains(t, err, "1 replica(s) attached")

		m, err := migrate(replica, onReplica(func(c *base.MigrationContext) { c.SwitchToRowBinlogFormat = true }))
		require.NoError(t, err)

		assert.Equal(t, "MIXED", m.context.OriginalBinlogFormat)
		assert.True(t, m.context.RequiresBinlogFormatChange())
		assert.True(t, m.log.contains("Restarting replication on"), "its threads keep the old format else")
		format, err := mysql.GlobalVariable(t.Context(), replica.DB(t), "binlog_format")
		require.NoError(t, err)
		assert.Equal(t, "ROW", format)
		load.requireNothingLost(t, "t")
	})
}

func TestReplicationIsNotRestartedWhereThatIsNotAllowed(t *testing.T) {
	server := testserver.Start(t, testserver.Options{Replica: true})
	server.Exec(t, "REVOKE REPLICATION_SLAVE_ADMIN ON *.* FROM 'gh-ost'@'%'")
	schema := withRows(t, server, 100)
	server.CatchUp(t)
	m := newMigration(t, server.Replica, schema, "t", "ADD COLUMN extra int", onReplica(func(*base.MigrationContext) {}))

	require.NoError(t, requireEnd(t, m.start(), time.Minute))

	assert.True(t, m.log.contains("replication could not be restarted"))
	assert.True(t, replicates(t, server.Replica))
}
