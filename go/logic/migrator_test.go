package logic

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/github/gh-ost/go/internal/ledger"
	"github.com/github/gh-ost/go/internal/testserver"
)

func TestALiveTableIsMigratedWithNothingLost(t *testing.T) {
	testserver.Both(t, func(t *testing.T, server *testserver.Server) {
		for seed := uint64(1); seed <= 2; seed++ {
			t.Run(fmt.Sprintf("seed %d", seed), func(t *testing.T) {
				schema := server.Schema(t)
				load := startLoad(t, server, schema, "t", ledger.Options{Rows: 5000, Writers: 8, Readers: 2, Seed: seed})
				m := newMigration(t, server, schema, "t", "ADD COLUMN extra int NOT NULL DEFAULT 7, ENGINE=InnoDB")

				require.NoError(t, requireEnd(t, m.start(), time.Minute))

				load.requireNothingLost(t, "t")
				assert.Equal(t, []string{"_t_del", "t"}, tablesOf(t, load.db, schema))
				var extra int
				require.NoError(t, load.db.QueryRow("SELECT MIN(extra) FROM t").Scan(&extra))
				assert.Equal(t, 7, extra)
				t.Log(m.lastReport.Load().Lines())
			})
		}
	})
}
