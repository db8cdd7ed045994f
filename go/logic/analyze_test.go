package logic

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/github/gh-ost/go/base"
	"github.com/github/gh-ost/go/internal/testserver"
)

// unlogged keeps from the stream what follows, so that only the server misses the ghost: a RENAME that is logged ends the run.
const unlogged = "SET SESSION sql_log_bin = 0; "

func TestTheGhostIsAnalyzedBeforeEachAttemptAndAFailureFailsTheAttempt(t *testing.T) {
	testserver.Both(t, func(t *testing.T, server *testserver.Server) {
		schema := withRows(t, server, 100)
		hooks := newHookRecorder()
		m := newMigration(t, server, schema, "t", "ADD COLUMN extra int", func(c *base.MigrationContext) {
			c.AnalyzeGhostTableBeforeCutOver, c.Hooks = true, hooks
		})
		// Given a ghost that cannot be analyzed for a while
		hooks.at["before-cut-over"] = func() error {
			server.Exec(t, unlogged+"RENAME TABLE "+schema+"._t_gho TO "+schema+".away")
			return nil
		}
		result := m.start()
		require.Eventually(t, func() bool { return m.log.contains("ERROR ANALYZE TABLE on the ghost table") }, 20*time.Second, time.Millisecond)
		assert.True(t, m.log.contains("doesn't exist"), "the server's words")
		server.Exec(t, unlogged+"RENAME TABLE "+schema+".away TO "+schema+"._t_gho")

		require.NoError(t, requireEnd(t, result, time.Minute))

		assert.True(t, m.log.contains("Running ANALYZE TABLE on ghost table `"+schema+"`.`_t_gho` before cut-over"))
		assert.Greater(t, m.log.place("completed in "), m.log.place("ERROR ANALYZE TABLE"))
		assert.Equal(t, []string{"_t_del", "t"}, tablesOf(t, server.DB(t), schema))
	})
}

func TestAnAnalysisThatFailsForGoodEndsTheRunLikeAnyOtherFailure(t *testing.T) {
	server := testserver.Shared(t, testserver.MySQL)
	schema := withRows(t, server, 100)
	hooks := newHookRecorder()
	m := newMigration(t, server, schema, "t", "ADD COLUMN extra int", func(c *base.MigrationContext) {
		c.AnalyzeGhostTableBeforeCutOver, c.Hooks = true, hooks
		c.SetDefaultNumRetries(2)
	})
	hooks.at["before-cut-over"] = func() error {
		server.Exec(t, unlogged+"RENAME TABLE "+schema+"._t_gho TO "+schema+".away")
		return nil
	}

	err := requireEnd(t, m.start(), time.Minute)

	require.ErrorContains(t, err, "giving up the cut-over after 2 attempts: ANALYZE TABLE")
	require.NoError(t, m.ExecOnFailureHook())
	assert.Contains(t, hooks.seen(), "failure")
	assert.NoFileExists(t, m.context.ServeSocketFile)
}
