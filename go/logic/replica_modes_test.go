package logic

import (
	gosql "database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/github/gh-ost/go/base"
	"github.com/github/gh-ost/go/internal/ledger"
	"github.com/github/gh-ost/go/internal/testserver"
	"github.com/github/gh-ost/go/mysql"
)

// hookRecorder notes the moments that a migration passes, and does what a test wants there.
type hookRecorder struct {
	mutex sync.Mutex
	calls []string
	at    map[string]func() error
}

func newHookRecorder() *hookRecorder { return &hookRecorder{at: map[string]func() error{}} }

func (h *hookRecorder) call(moment string) error {
	h.mutex.Lock()
	h.calls = append(h.calls, moment)
	do := h.at[moment]
	h.mutex.Unlock()
	if do != nil {
		return do()
	}
	return nil
}

// set changes what is done at a moment while the migration runs.
func (h *hookRecorder) set(moment string, do func() error) {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	h.at[moment] = do
}

// seen lists the moments in their order.
func (h *hookRecorder) seen() []string {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	return slices.Clone(h.calls)
}

func (h *hookRecorder) OnStartup() error                  { return h.call("startup") }
func (h *hookRecorder) OnValidated() error                { return h.call("validated") }
func (h *hookRecorder) OnRowCountComplete() error         { return h.call("rowcount-complete") }
func (h *hookRecorder) OnBeforeRowCopy() error            { return h.call("before-row-copy") }
func (h *hookRecorder) OnRowCopyComplete() error          { return h.call("row-copy-complete") }
func (h *hookRecorder) OnBeginPostponed() error           { return h.call("begin-postponed") }
func (h *hookRecorder) OnBeforeCutOver() error            { return h.call("before-cut-over") }
func (h *hookRecorder) OnInteractiveCommand(string) error { return h.call("interactive-command") }
func (h *hookRecorder) OnSuccess(bool) error              { return h.call("success") }
func (h *hookRecorder) OnFailure() error                  { return h.call("failure") }
func (h *hookRecorder) OnBatchCopyRetry(string) error     { return nil } // how often depends on luck, as with the next
func (h *hookRecorder) OnStatus(string) error             { return nil }
func (h *hookRecorder) OnStopReplication() error          { return h.call("stop-replication") }
func (h *hookRecorder) OnStartReplication() error         { return h.call("start-replication") }

// onReplica is how a user migrates the replica of a server.
func onReplica(option func(c *base.MigrationContext)) func(c *base.MigrationContext) {
	return func(c *base.MigrationContext) {
		c.AllowedRunningOnMaster = false
		option(c)
	}
}

// requireSameRows compares two tables by the columns of the first.
func requireSameRows(t *testing.T, db *gosql.DB, schema, first, second string) {
	t.Helper()
	rows, err := db.Query("SELECT column_name FROM information_schema.columns WHERE table_schema = ? AND table_name = ?", schema, first)
	require.NoError(t, err)
	defer rows.Close()
	var columns []string
	for rows.Next() {
		var column string
		require.NoError(t, rows.Scan(&column))
		columns = append(columns, "`"+column+"`")
	}
	require.NoError(t, rows.Err())
	for _, pair := range [][2]string{{first, second}, {second, first}} {
		var differing int
		require.NoError(t, db.QueryRow(fmt.Sprintf("SELECT COUNT(*) FROM (SELECT %[1]s FROM %[2]s.%[3]s EXCEPT SELECT %[1]s FROM %[2]s.%[4]s) x",
			strings.Join(columns, ", "), schema, pair[0], pair[1])).Scan(&differing))
		require.Zero(t, differing, "rows of %s that are not in %s", pair[0], pair[1])
	}
}

func replicaOf(t *testing.T, server *testserver.Server) *mysql.Replica {
	t.Helper()
	db := server.DB(t)
	identified, err := mysql.Identify(t.Context(), db)
	require.NoError(t, err)
	return mysql.NewReplica(db, identified.Dialect)
}

func replicates(t *testing.T, server *testserver.Server) bool {
	t.Helper()
	channels, err := replicaOf(t, server).Status(t.Context())
	require.NoError(t, err)
	require.Len(t, channels, 1)
	return channels[0].Running()
}

func TestReplicasAreMigratedTestedAndMigratedThrough(t *testing.T) {
	testserver.BothFresh(t, testserver.Options{Replica: true}, func(t *testing.T, server *testserver.Server) {
		replica := server.Replica
		const alter = "ADD COLUMN extra int NOT NULL DEFAULT 7"
		hasExtra := func(on *testserver.Server, schema, table string) bool {
			var columns int
			require.NoError(t, on.DB(t).QueryRow("SELECT COUNT(*) FROM information_schema.columns WHERE table_schema = ? AND table_name = ? AND column_name = 'extra'", schema, table).Scan(&columns))
			return columns == 1
		}
		begin := func(t *testing.T) (string, *load) {
			schema := server.Schema(t)
			load := startLoad(t, server, schema, "t", ledger.Options{Rows: 2000, Writers: 4})
			server.CatchUp(t)
			return schema, load
		}

		t.Run("the primary is migrated through its replica", func(t *testing.T) {
			schema, load := begin(t)
			m := newMigration(t, replica, schema, "t", alter, onReplica(func(*base.MigrationContext) {}))

			require.NoError(t, requireEnd(t, m.start(), time.Minute))

			load.requireNothingLost(t, "t")
			server.CatchUp(t)
			assert.True(t, hasExtra(server, schema, "t"))
			requireSameRows(t, server.DB(t), schema, "t", "t")
			assert.True(t, m.log.contains("Restarting replication on"))
			assert.True(t, m.log.contains(fmt.Sprintf("Master found to be 127.0.0.1:%d", server.Port)))
		})

		if server.Flavor == testserver.MariaDB {
			schema := server.Schema(t)
			server.Exec(t, "CREATE TABLE "+schema+".t (id int PRIMARY KEY)")
			server.CatchUp(t)
			err := requireEnd(t, newMigration(t, replica, schema, "t", alter, onReplica(func(c *base.MigrationContext) { c.TestOnReplica = true })).start(), time.Minute)
			require.ErrorContains(t, err, "gtid_domain_id")
			replica.Exec(t, "SET GLOBAL gtid_domain_id = 7")
		}

		t.Run("the replica alone is migrated, and kept so", func(t *testing.T) {
			schema, load := begin(t)
			m := newMigration(t, replica, schema, "t", alter, onReplica(func(c *base.MigrationContext) { c.MigrateOnReplica = true }))

			require.NoError(t, requireEnd(t, m.start(), time.Minute))

			load.requireNothingLost(t, "t")
			server.CatchUp(t)
			assert.True(t, hasExtra(replica, schema, "t"))
			assert.False(t, hasExtra(server, schema, "t"))
			assert.Equal(t, []string{"t"}, tablesOf(t, server.DB(t), schema), "the primary has seen nothing")
			assert.Equal(t, []string{"_t_del", "t"}, tablesOf(t, replica.DB(t), schema))
			assert.True(t, replicates(t, replica))
			assert.Equal(t, 1, m.context.GetThrottleControlReplicaKeys().Len(), "the replica itself is watched")
			requireReplicaEqualsPrimary(t, server, schema)
		})

		t.Run("a tested replica is swapped and swapped back, and stands still", func(t *testing.T) {
			schema, load := begin(t)
			hooks := newHookRecorder()
			m := newMigration(t, replica, schema, "t", alter, onReplica(func(c *base.MigrationContext) {
				c.TestOnReplica, c.OkToDropTable, c.Hooks = true, true, hooks
			}))

			require.NoError(t, requireEnd(t, m.start(), time.Minute))

			assert.Equal(t, []string{"startup", "validated", "before-row-copy", "row-copy-complete", "before-cut-over", "stop-replication", "success"}, hooks.seen())
			assert.False(t, replicates(t, replica))
			assert.Equal(t, []string{"_t_gho", "t"}, tablesOf(t, replica.DB(t), schema))
			assert.False(t, hasExtra(replica, schema, "t"))
			assert.True(t, hasExtra(replica, schema, "_t_gho"))
			requireSameRows(t, replica.DB(t), schema, "t", "_t_gho")
			for _, line := range []string{"testing on replica. Stopping replication IO thread", "Replication IO thread stopped", "SQL thread stopped",
				"Replication IO thread at ", "Renaming back both tables", "-- drop table"} {
				assert.True(t, m.log.contains(line), line)
			}
			require.NoError(t, replicaOf(t, replica).Start(t.Context()))
			load.requireNothingLost(t, "t")
			server.CatchUp(t)
			requireReplicaEqualsPrimary(t, server, schema)
		})

		t.Run("replication goes on after a failed test", func(t *testing.T) {
			schema, load := begin(t)
			hooks := newHookRecorder()
			var m *migration
			hooks.at["before-cut-over"] = func() error {
				m.context.SetDefaultNumRetries(2) // of the cut-over alone: the writer's began before, and may meet deadlocks
				return nil
			}
			hooks.at["stop-replication"] = func() error {
				if slices.Contains(hooks.seen(), "start-replication") { // the second attempt
					return errors.New("not today")
				}
				// Somebody else's table stands where the original would go.
				replica.Exec(t, "CREATE TABLE "+schema+"._t_del (mine int)")
				return nil
			}
			m = newMigration(t, replica, schema, "t", alter, onReplica(func(c *base.MigrationContext) { c.TestOnReplica, c.Hooks = true, hooks }))

			err := requireEnd(t, m.start(), time.Minute)

			require.ErrorContains(t, err, "giving up the cut-over after 2 attempts")
			require.ErrorContains(t, err, "not today")
			assert.True(t, m.log.contains("_t_del` exists and is not ours"))
			assert.Equal(t, []string{"before-cut-over", "stop-replication", "start-replication", "stop-replication"}, hooks.seen()[4:])
			assert.True(t, replicates(t, replica))
			assert.True(t, m.log.contains("Replication started"))
			load.requireNothingLost(t, "t")
			server.CatchUp(t)
			requireReplicaEqualsPrimary(t, server, schema)
		})

		t.Run("a failed swap back is the result", func(t *testing.T) {
			schema, load := begin(t)
			m := newMigration(t, replica, schema, "t", alter, onReplica(func(c *base.MigrationContext) { c.TestOnReplica = true }))
			m.seam = func(point string) {
				if point == "done" {
					replica.Exec(t, fmt.Sprintf("CREATE TABLE %s._t_gho (mine int)", schema))
				}
			}

			err := requireEnd(t, m.start(), time.Minute)

			require.ErrorContains(t, err, "could not be swapped back")
			require.ErrorContains(t, err, "RENAME")
			assert.False(t, replicates(t, replica), "changes would go to the wrong table")
			require.NoError(t, func() error {
				_, err := replica.DB(t).Exec(fmt.Sprintf("DROP TABLE %[1]s._t_gho; RENAME TABLE %[1]s.t TO %[1]s._t_gho, %[1]s._t_del TO %[1]s.t", schema))
				return err
			}())
			require.NoError(t, replicaOf(t, replica).Start(t.Context()))
			load.requireNothingLost(t, "t")
			server.CatchUp(t)
			requireReplicaEqualsPrimary(t, server, schema)
		})

		t.Run("hooks stop and start replication if they want to", func(t *testing.T) {
			schema, load := begin(t)
			hooks := newHookRecorder()
			hooks.at["stop-replication"] = func() error { return replicaOf(t, replica).Stop(t.Context()) }
			m := newMigration(t, replica, schema, "t", alter, onReplica(func(c *base.MigrationContext) {
				c.TestOnReplica, c.TestOnReplicaSkipReplicaStop, c.Hooks = true, true, hooks
			}))
			require.NoError(t, requireEnd(t, m.start(), time.Minute))
			assert.False(t, m.log.contains("Stopping replication"), "that is the hook's")
			requireSameRows(t, replica.DB(t), schema, "t", "_t_gho")
			require.NoError(t, replicaOf(t, replica).Start(t.Context()))
			load.requireNothingLost(t, "t")
			server.CatchUp(t)
			requireReplicaEqualsPrimary(t, server, schema)
		})

		t.Run("the primary may be named, with an account of its own", func(t *testing.T) {
			schema, load := begin(t)
			m := newMigration(t, replica, schema, "t", alter, onReplica(func(c *base.MigrationContext) {
				c.AssumeMasterHostname = fmt.Sprintf("localhost:%d", server.Port)
				c.CliMasterUser, c.CliMasterPassword = server.AdminUser, server.AdminPassword
				c.AssumeRBR = true
			}))
			require.NoError(t, requireEnd(t, m.start(), time.Minute))
			load.requireNothingLost(t, "t")
			assert.True(t, hasExtra(server, schema, "t"))
			assert.True(t, m.log.contains(fmt.Sprintf("Master forced to be localhost:%d", server.Port)))
			assert.False(t, m.log.contains("Restarting replication"))
		})

		t.Run("servers that do not fit the mode are refused", func(t *testing.T) {
			schema := server.Schema(t)
			server.Exec(t, "CREATE TABLE "+schema+".t (id int PRIMARY KEY)")
			server.CatchUp(t)
			for name, refused := range map[string]struct {
				server  *testserver.Server
				option  func(c *base.MigrationContext)
				message string
			}{
				"primary":          {server, func(*base.MigrationContext) {}, "--allow-on-master"},
				"primary, renamed": {server, func(c *base.MigrationContext) { c.AssumeMasterHostname = fmt.Sprintf("localhost:%d", server.Port) }, "--allow-on-master"},
				"no replica":       {server, func(c *base.MigrationContext) { c.TestOnReplica = true }, "--test-on-replica: the server given by --host"},
				"no replica either": {server, func(c *base.MigrationContext) {
					c.MigrateOnReplica, c.AssumeMasterHostname = true, fmt.Sprintf("localhost:%d", server.Port)
				}, "--migrate-on-replica: the server given by --host"},
			} {
				err := requireEnd(t, newMigration(t, refused.server, schema, "t", "ENGINE=InnoDB", onReplica(refused.option)).start(), time.Minute)
				require.ErrorContains(t, err, refused.message, name)
			}
			require.NoError(t, replicaOf(t, replica).Stop(t.Context()))
			err := requireEnd(t, newMigration(t, replica, schema, "t", "ENGINE=InnoDB", onReplica(func(*base.MigrationContext) {})).start(), time.Minute)
			var stopped *mysql.ReplicationStoppedError
			require.ErrorAs(t, err, &stopped)
			assert.False(t, replicates(t, replica), "what somebody has stopped is not started")
			require.NoError(t, replicaOf(t, replica).Start(t.Context()))
			assert.Equal(t, []string{"t"}, tablesOf(t, server.DB(t), schema), "nothing is left")
		})
	})
}

// requireReplicaEqualsPrimary compares the rows of table t on both, by the primary's columns.
func requireReplicaEqualsPrimary(t *testing.T, server *testserver.Server, schema string) {
	t.Helper()
	rows := func(on *testserver.Server) []string {
		var columns string
		require.NoError(t, server.DB(t).QueryRow("SELECT GROUP_CONCAT(CONCAT('HEX(`', column_name, '`)') ORDER BY ordinal_position) FROM information_schema.columns WHERE table_schema = ? AND table_name = 't'", schema).Scan(&columns))
		result, err := on.DB(t).Query(fmt.Sprintf("SELECT CONCAT_WS(',', %s) AS line FROM %s.t ORDER BY line", columns, schema))
		require.NoError(t, err)
		defer result.Close()
		var lines []string
		for result.Next() {
			var line string
			require.NoError(t, result.Scan(&line))
			lines = append(lines, line)
		}
		require.NoError(t, result.Err())
		return lines
	}
	require.Equal(t, rows(server), rows(server.Replica))
}
