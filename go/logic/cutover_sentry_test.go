package logic

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/github/gh-ost/go/internal/testserver"
	"github.com/github/gh-ost/go/mysql"
	"github.com/github/gh-ost/go/sql"
)

// Sessions of a run that has died may swap the tables while somebody waits for the sentry: then the original stands there.
func TestTheOriginalThatTakesTheSentrysNameMeanwhileStays(t *testing.T) {
	testserver.Both(t, func(t *testing.T, server *testserver.Server) {
		schema := server.Schema(t)
		db := server.SchemaDB(t, schema)
		for _, statement := range []string{"CREATE TABLE t (id int PRIMARY KEY)", "INSERT INTO t VALUES (1), (2), (3)",
			"CREATE TABLE _t_del (id int PRIMARY KEY) COMMENT='" + sentryComment + "'"} {
			_, err := db.Exec(statement)
			require.NoError(t, err)
		}
		config := mysql.NewConnectionConfig()
		config.Key.Hostname, config.Key.Port, config.User, config.Password = server.Host, server.Port, server.User, server.Password
		applier, err := ConnectApplier(t.Context(), config, schema, newRecordingLogger(t))
		require.NoError(t, err)
		defer applier.Close()
		lock, err := db.Conn(t.Context())
		require.NoError(t, err)
		defer lock.Close()
		_, err = lock.ExecContext(t.Context(), "LOCK TABLES t WRITE, _t_del WRITE")
		require.NoError(t, err)
		await := func(statement string) {
			require.Eventually(t, func() bool {
				processes, err := mysql.ShowProcesses(t.Context(), db)
				return err == nil && slices.ContainsFunc(processes, func(p mysql.Process) bool { return strings.HasPrefix(p.Info, statement) && p.AwaitsMetadataLock() })
			}, 10*time.Second, 5*time.Millisecond, statement)
		}
		renamed, cleared := make(chan error, 1), make(chan error, 1)
		go func() { _, err := db.Exec("RENAME TABLE t TO _t_del"); renamed <- err }()
		await("RENAME")
		go func() {
			cleared <- applier.clearSentry(t.Context(), sql.TableName{Schema: schema, Name: "_t_del"})
		}()
		await("LOCK /* gh-ost")

		for _, statement := range []string{"DROP TABLE _t_del", "UNLOCK TABLES"} {
			_, err = lock.ExecContext(t.Context(), statement)
			require.NoError(t, err)
		}

		require.NoError(t, <-renamed)
		require.NoError(t, <-cleared)
		var rows int
		require.NoError(t, db.QueryRow("SELECT COUNT(*) FROM _t_del").Scan(&rows))
		assert.Equal(t, 3, rows)
	})
}
