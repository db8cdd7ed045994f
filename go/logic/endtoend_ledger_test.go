package logic

import (
	"fmt"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/github/gh-ost/go/internal/ledger"
	"github.com/github/gh-ost/go/internal/testserver"
)

// ledgerSeeds is how many seeds are tried: two, or as many as the environment says.
func ledgerSeeds(t *testing.T) uint64 {
	text := os.Getenv("LEDGER_SEEDS")
	if text == "" {
		return 2
	}
	seeds, err := strconv.ParseUint(text, 10, 64)
	require.NoError(t, err)
	return seeds
}

// Eight writers that hand unique values over among their rows all the time, on a table that another tool never got
// through with, or got through with rows missing.
func TestABusyTableIsMigratedInTimeWithNothingLost(t *testing.T) {
	testserver.Both(t, func(t *testing.T, server *testserver.Server) {
		for seed := range ledgerSeeds(t) {
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
