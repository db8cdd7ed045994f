package logic

import (
	"context"
	gosql "database/sql"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/github/gh-ost/go/base"
	"github.com/github/gh-ost/go/internal/testserver"
)

// withRows creates table t with rows 1 to n.
func withRows(t *testing.T, server *testserver.Server, n int) (schema string) {
	schema = server.Schema(t)
	server.Exec(t, "CREATE TABLE "+schema+".t (id int PRIMARY KEY, v int NOT NULL DEFAULT 0, INDEX (v))")
	tx, err := server.SchemaDB(t, schema).Begin()
	require.NoError(t, err)
	for id := 1; id <= n; id++ {
		_, err := tx.Exec("INSERT INTO t (id) VALUES (?)", id)
		require.NoError(t, err)
	}
	require.NoError(t, tx.Commit())
	return schema
}

func exactly(concurrent bool, hooks base.Hooks) func(c *base.MigrationContext) {
	return func(c *base.MigrationContext) {
		c.CountTableRows, c.ConcurrentCountTableRows, c.Hooks = true, concurrent, hooks
	}
}

func TestRowsAreCountedBeforeTheCopyOrBesideIt(t *testing.T) {
	testserver.Both(t, func(t *testing.T, server *testserver.Server) {
		for name, concurrent := range map[string]bool{"before": false, "beside": true} {
			t.Run(name, func(t *testing.T) {
				schema := withRows(t, server, 321)
				hooks := newHookRecorder()
				m := newMigration(t, server, schema, "t", "ENGINE=InnoDB", exactly(concurrent, hooks))
				counted := make(chan struct{})
				var state string
				hooks.at["rowcount-complete"] = func() error {
					state = m.snapshot().State()
					close(counted)
					return nil
				}
				// Rows come and go after the count: the estimate follows.
				hooks.at["before-row-copy"] = func() error {
					<-counted
					server.Exec(t, "DELETE FROM "+schema+".t WHERE id <= 21; INSERT INTO "+schema+".t (id) VALUES (1000)")
					return nil
				}
				hooks.at["before-cut-over"] = func() error {
					require.Eventually(t, func() bool { return m.context.GetTotalDMLEventsApplied() == 22 }, 10*time.Second, time.Millisecond)
					return nil
				}

				require.NoError(t, requireEnd(t, m.start(), time.Minute))

				assert.True(t, m.log.contains("Exact number of rows via COUNT: 321"))
				assert.EqualValues(t, 321, m.context.GetRowsEstimate())
				assert.EqualValues(t, 301, m.context.GetTotalRowsEstimate())
				assert.Equal(t, base.CountRowsEstimate, m.context.UsedRowsEstimateMethod)
				if !concurrent {
					assert.Equal(t, "counting rows", state)
					assert.Equal(t, []string{"startup", "validated", "rowcount-complete", "before-row-copy"}, hooks.seen()[:4])
				}
			})
		}
	})
}

func TestOnlyACountThatTheCopyWaitsForCanEndTheRun(t *testing.T) {
	testserver.Both(t, func(t *testing.T, server *testserver.Server) {
		for name, concurrent := range map[string]bool{"before": false, "beside": true} {
			t.Run(name, func(t *testing.T) {
				schema := withRows(t, server, 10)
				hooks := newHookRecorder()
				refusal := errors.New("too many rows")
				called := make(chan struct{})
				hooks.at["rowcount-complete"] = func() error { close(called); return refusal }
				hooks.at["before-row-copy"] = func() error { <-called; return nil }
				m := newMigration(t, server, schema, "t", "ENGINE=InnoDB", exactly(concurrent, hooks))

				err := requireEnd(t, m.start(), time.Minute)

				if concurrent {
					require.NoError(t, err)
					assert.True(t, m.log.contains("too many rows"))
				} else {
					require.ErrorIs(t, err, refusal)
					assert.Equal(t, []string{"t"}, tablesOf(t, server.DB(t), schema), "nothing was copied: nothing is left")
				}
			})
		}
	})
}

func TestADryRunCountsNothing(t *testing.T) {
	server := testserver.Shared(t, testserver.MySQL)
	schema := withRows(t, server, 10)
	hooks := newHookRecorder()
	m := newMigration(t, server, schema, "t", "ENGINE=InnoDB", exactly(false, hooks), func(c *base.MigrationContext) { c.Noop = true })

	require.NoError(t, requireEnd(t, m.start(), time.Minute))

	assert.Equal(t, []string{"startup", "validated", "before-row-copy", "before-cut-over", "success"}, hooks.seen())
	assert.Equal(t, []string{"t"}, tablesOf(t, server.DB(t), schema))
}

func TestWhatIsNotWaitedForAnyMoreEndsOnTheServerToo(t *testing.T) {
	testserver.Both(t, func(t *testing.T, server *testserver.Server) {
		m := newMigration(t, server, "", "t", "")
		ctx, cancel := context.WithCancelCause(t.Context())
		enough := errors.New("enough")
		running := func() (n int) {
			require.NoError(t, server.DB(t).QueryRow("SELECT COUNT(*) FROM information_schema.processlist WHERE info LIKE 'SELECT SLEEP(59)%'").Scan(&n))
			return n
		}
		ended := make(chan error, 1)
		go func() {
			ended <- inKillableSession(ctx, m.context.InspectorConnectionConfig, func(session *gosql.Conn) error {
				var slept int
				if err := session.QueryRowContext(context.WithoutCancel(ctx), "SELECT SLEEP(59)").Scan(&slept); err != nil || slept != 0 {
					return errors.Join(err, errors.New("interrupted"))
				}
				return nil
			})
		}()
		require.Eventually(t, func() bool { return running() == 1 }, 10*time.Second, 5*time.Millisecond)

		cancel(enough)

		require.ErrorIs(t, requireEnd(t, ended, 10*time.Second), enough)
		assert.Zero(t, running())
	})
}
