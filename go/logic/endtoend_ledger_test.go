package logic

import (
	"fmt"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/github/gh-ost/go/base"
	"github.com/github/gh-ost/go/internal/ledger"
	"github.com/github/gh-ost/go/internal/testserver"
)

// ledgerSeeds are the seeds that are tried: two from 0 on, or what the environment says.
func ledgerSeeds(t *testing.T) (seeds []uint64) {
	number := func(variable string, value uint64) uint64 {
		text := os.Getenv(variable)
		if text == "" {
			return value
		}
		value, err := strconv.ParseUint(text, 10, 64)
		require.NoError(t, err, variable)
		return value
	}
	first := number("LEDGER_FIRST_SEED", 0)
	for i := range number("LEDGER_SEEDS", 2) {
		seeds = append(seeds, first+i)
	}
	return seeds
}

// Eight writers that hand unique values over among their rows all the time, on a table that another tool never got
// through with, or got through with rows missing.
func TestABusyTableIsMigratedInTimeWithNothingLost(t *testing.T) {
	testserver.Both(t, func(t *testing.T, server *testserver.Server) {
		for _, seed := range ledgerSeeds(t) {
			t.Run(fmt.Sprintf("seed %d", seed), func(t *testing.T) {
				schema := server.Schema(t)
				load := startLoad(t, server, schema, "t", ledger.Options{Rows: 20_000, Writers: 8, Readers: 1, Pause: 2 * time.Millisecond, Seed: seed})
				m := newMigration(t, server, schema, "t", "ADD COLUMN extra int NOT NULL DEFAULT 7, ADD KEY (counter)")

				started := time.Now()
				require.NoError(t, requireEnd(t, m.start(), time.Minute))
				took := time.Since(started)

				stats := load.Stats()
				load.requireNothingLost(t, "t")
				waits := load.WriteWaits(started, time.Time{})
				t.Logf("took %s under %.0f transactions/s; longest wait of a write %s (%s); %v", took.Round(time.Millisecond),
					float64(stats.Committed)/took.Seconds(), waits.Longest.Duration, waits.Longest.Statement, m.lastReport.Load().Lines())
			})
		}
	})
}

// Everybody's connections are lost at once, in the middle of a chunk.
func TestTheServerMayRestartWhileRowsAreCopied(t *testing.T) {
	t.Parallel()
	testserver.BothFresh(t, testserver.Options{Durable: true}, func(t *testing.T, server *testserver.Server) {
		schema := server.Schema(t)
		load := startLoad(t, server, schema, "t", ledger.Options{Rows: 8000, Writers: 4})
		m := newMigration(t, server, schema, "t", "ADD COLUMN extra int NOT NULL DEFAULT 7", func(c *base.MigrationContext) {
			c.SetChunkSize(50)
			c.ChunkTimeMillis = 0
			c.SetNiceRatio(5)
		})
		result := m.start()
		for _, copied := range []int64{500, 3000} {
			require.Eventually(t, func() bool { return m.Migrator.context.GetTotalRowsCopied() > copied }, time.Minute, 5*time.Millisecond)
			server.Restart(t)
		}

		require.NoError(t, requireEnd(t, result, 2*time.Minute))

		load.stop()
		report, err := load.Verify(t.Context(), nil, "t")
		require.NoError(t, err)
		require.NoError(t, report.Err(), report.String())
		assert.True(t, isMigrated(t, load))
	})
}
