package logic

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/github/gh-ost/go/internal/testserver"
	"github.com/github/gh-ost/go/sql"
)

// A server that is back from a crash may have lost what it had acknowledged, and rows of the ghost table with it.
func TestAHeartbeatThatIsThereNoMoreEndsTheMigration(t *testing.T) {
	testserver.Both(t, func(t *testing.T, server *testserver.Server) {
		for name, loses := range map[string]bool{"lost": true, "only away for a while": false} {
			t.Run(name, func(t *testing.T) {
				schema := server.Schema(t)
				db := server.SchemaDB(t, schema)
				changelog := NewChangelog(db, sql.TableName{Schema: schema, Name: "_t_ghc"})
				require.NoError(t, changelog.Create(t.Context()))
				failures := make(chan error, 1000)
				beat := &heartbeat{changelog: changelog, interval: func() time.Duration { return 10 * time.Millisecond },
					skip: func() bool { return false }, retries: 60, failed: func(err error) { failures <- err }}
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				ended := make(chan error, 1)
				go func() { ended <- beat.run(ctx) }()
				count := func() int { return len(rowsOf(t, db, "SELECT value FROM _t_ghc WHERE id = 1")) }
				require.Eventually(t, func() bool { return count() == 1 }, 10*time.Second, time.Millisecond)
				earlier := rowsOf(t, db, "SELECT value FROM _t_ghc WHERE id = 1")[0]
				require.Eventually(t, func() bool { return rowsOf(t, db, "SELECT value FROM _t_ghc WHERE id = 1")[0] != earlier }, 10*time.Second, time.Millisecond)

				mustExec(t, db, "RENAME TABLE _t_ghc TO away")
				<-failures
				if loses {
					mustExec(t, db, "UPDATE away SET value = '"+earlier+"' WHERE id = 1")
				}
				mustExec(t, db, "RENAME TABLE away TO _t_ghc")

				if loses {
					var lost *LostCommitsError
					require.ErrorAs(t, requireEnd(t, ended, 10*time.Second), &lost)
					assert.ErrorContains(t, lost, "innodb_flush_log_at_trx_commit")
					assert.True(t, beat.unsure.Load(), "nothing may be claimed any more")
					return
				}
				before := rowsOf(t, db, "SELECT value FROM _t_ghc WHERE id = 1")[0]
				require.Eventually(t, func() bool { return rowsOf(t, db, "SELECT value FROM _t_ghc WHERE id = 1")[0] != before }, 10*time.Second, time.Millisecond)
				assert.Eventually(t, func() bool { return !beat.unsure.Load() }, 10*time.Second, time.Millisecond)
				cancel()
				require.NoError(t, requireEnd(t, ended, 10*time.Second))
			})
		}
	})
}
