package logic

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/github/gh-ost/go/internal/testserver"
	"github.com/github/gh-ost/go/mysql"
	"github.com/github/gh-ost/go/sql"
)

// A RENAME that holds the name before the original's and is shown to wait may have been given that name this very moment, or
// wait for another: only one that stands in the original's queue keeps writers out.
func TestARenameThatIsNotInTheOriginalsQueueIsNotTakenForOneThatIs(t *testing.T) {
	testserver.Both(t, func(t *testing.T, server *testserver.Server) {
		for _, mode := range []string{"READ", "WRITE"} {
			t.Run(mode, func(t *testing.T) {
				schema := server.Schema(t)
				db := server.SchemaDB(t, schema)
				mustExec(t, db, "CREATE TABLE t (id int PRIMARY KEY)", "CREATE TABLE _t_del (id int)", "CREATE TABLE _t_rev_del (id int)", "CREATE TABLE _t_x (id int)")
				config := mysql.NewConnectionConfig()
				config.Key.Hostname, config.Key.Port, config.User, config.Password = server.Host, server.Port, server.User, server.Password
				mysqlServer, err := mysql.Identify(t.Context(), db)
				require.NoError(t, err)
				control, err := openControlSessions(t.Context(), config, mysqlServer.Dialect)
				require.NoError(t, err)
				defer control.close()
				lock, err := db.Conn(t.Context())
				require.NoError(t, err)
				defer lock.Close()
				run := func(statement string) {
					_, err := lock.ExecContext(t.Context(), statement)
					require.NoError(t, err)
				}
				name := func(name string) sql.TableName { return sql.TableName{Schema: schema, Name: name} }
				names := cutOverNames{original: name("t"), ghost: name("_t_del"), old: name("_t_rev_del")}
				begin := func(statement string) (id int64, ended chan error) {
					ended = make(chan error, 1)
					go func() { _, err := db.Exec(statement); ended <- err }()
					require.Eventually(t, func() bool {
						processes, err := mysql.ShowProcesses(t.Context(), db)
						at := slices.IndexFunc(processes, func(p mysql.Process) bool { return p.Info == statement && p.AwaitsMetadataLock() })
						if err != nil || at < 0 {
							return false
						}
						id = processes[at].ID
						return true
					}, 10*time.Second, 5*time.Millisecond, statement)
					return id, ended
				}

				run("LOCK TABLES t " + mode + ", _t_x WRITE")
				id, ended := begin("RENAME TABLE _t_rev_del TO _t_s1, _t_x TO _t_s2")
				proven, err := newNameOrderProof(control, names, id).proven(t.Context())
				require.NoError(t, err)
				assert.False(t, proven, "it waits for another table")
				run("UNLOCK TABLES")
				require.NoError(t, <-ended)

				run("LOCK TABLES t " + mode)
				id, ended = begin("RENAME TABLE t TO _t_rev_del, _t_del TO t")
				proven, err = newNameOrderProof(control, names, id).proven(t.Context())
				require.NoError(t, err)
				assert.True(t, proven)
				run("UNLOCK TABLES")
				require.NoError(t, <-ended)
			})
		}
	})
}
