package logic

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/github/gh-ost/go/base"
	"github.com/github/gh-ost/go/internal/testserver"
)

// After a reset the places of before come again, and are about something else.
func TestABinaryLogThatWasBegunAnewIsNotResumedFrom(t *testing.T) {
	t.Parallel()
	testserver.BothFresh(t, testserver.Options{}, func(t *testing.T, server *testserver.Server) {
		schema := server.Schema(t)
		db := server.SchemaDB(t, schema)
		mustExec(t, db, "CREATE TABLE t (id int PRIMARY KEY, v int)", "INSERT INTO t VALUES (1, 1), (2, 2)")
		run := interrupted(t, server, schema, true)
		mustExec(t, db, "UPDATE t SET v = 3 WHERE id = 1") // nobody can know of this
		reset := "RESET BINARY LOGS AND GTIDS"
		if server.Flavor == testserver.MariaDB {
			reset = "RESET MASTER"
		}
		require.Eventually(t, func() bool { // a log that is still being sent to who was killed cannot be reset
			_, err := db.Exec(reset)
			return err == nil
		}, 30*time.Second, 200*time.Millisecond)
		mustExec(t, db, "CREATE TABLE other (id int PRIMARY KEY)")
		for id := range 500 {
			mustExec(t, db, fmt.Sprintf("INSERT INTO other VALUES (%d)", id))
		}

		columns := strings.Join(rowsOf(t, db, "SELECT column_name FROM information_schema.columns WHERE table_schema = DATABASE() AND table_name = '_t_ghk' AND column_name <> 'gh_ost_chk_id'"), ", ")
		for range 3 { // the first refusal must not leave a checkpoint that the second try believes
			resume := newMigration(t, server, schema, "t", run.Alter, checkpointed, byGTID, func(c *base.MigrationContext) { c.Resume = true })
			err := requireEnd(t, resume.start(), time.Minute)

			require.ErrorContains(t, err, "does not have what was written behind that place")
			assert.ErrorContains(t, err, "--cleanup")
			assert.False(t, resume.log.contains("with --resume"), "it does not say to go on")
			// Nor may one that a run has written which had not noticed the reset yet.
			mustExec(t, db, fmt.Sprintf("INSERT INTO _t_ghk (%[1]s) SELECT %[1]s FROM _t_ghk ORDER BY gh_ost_chk_id LIMIT 1", columns))
		}
		assert.Equal(t, []string{"1,3", "2,2"}, rowsOf(t, db, "SELECT * FROM t ORDER BY id"))
	})
}
