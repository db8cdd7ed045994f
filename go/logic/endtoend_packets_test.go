package logic

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/github/gh-ost/go/base"
	"github.com/github/gh-ost/go/internal/testserver"
)

// A server may take no more than a megabyte at a time. Quotes take twice their length in a statement.
func TestStatementsFitIntoAServersSmallPackets(t *testing.T) {
	testserver.BothFresh(t, testserver.Options{Args: []string{"--max-allowed-packet=1M"}}, func(t *testing.T, server *testserver.Server) {
		schema := server.Schema(t)
		db := server.SchemaDB(t, schema)
		mustExec(t, db, "CREATE TABLE t (id int PRIMARY KEY, b longblob)",
			"INSERT INTO t WITH RECURSIVE n AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM n WHERE i < 30) SELECT i, NULL FROM n")
		flagFile := filepath.Join(t.TempDir(), "postpone")
		m := newMigration(t, server, schema, "t", "ADD COLUMN w int", func(c *base.MigrationContext) { c.PostponeCutOverFlagFile = flagFile })
		result := m.start()
		require.Eventually(t, m.Migrator.context.IsPostponing, time.Minute, 20*time.Millisecond)

		mustExec(t, db, "UPDATE t SET b = REPEAT('''', 200000 + id)")
		require.NoError(t, os.Remove(flagFile))

		require.NoError(t, requireEnd(t, result, time.Minute))
		assert.Equal(t, []string{"30,6000465"}, rowsOf(t, db, "SELECT COUNT(w IS NULL), SUM(LENGTH(b)) FROM t"))
	})
}

// A row that the server takes from its clients may be too large for it as a whole statement.
func TestARowThatIsTooLargeForTheServersPacketsIsNamed(t *testing.T) {
	testserver.BothFresh(t, testserver.Options{Args: []string{"--max-allowed-packet=1M"}}, func(t *testing.T, server *testserver.Server) {
		schema := server.Schema(t)
		db := server.SchemaDB(t, schema)
		mustExec(t, db, "CREATE TABLE t (id int PRIMARY KEY, b longblob)", "INSERT INTO t VALUES (7, NULL)")
		flagFile := filepath.Join(t.TempDir(), "postpone")
		m := newMigration(t, server, schema, "t", "ADD COLUMN w int", func(c *base.MigrationContext) { c.PostponeCutOverFlagFile = flagFile })
		result := m.start()
		require.Eventually(t, m.Migrator.context.IsPostponing, time.Minute, 20*time.Millisecond)

		mustExec(t, db, "UPDATE t SET b = REPEAT('''', 600000)")

		err := requireEnd(t, result, time.Minute)
		require.ErrorContains(t, err, "max_allowed_packet")
		assert.ErrorContains(t, err, "(7)")
	})
}
