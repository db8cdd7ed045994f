package logic

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/github/gh-ost/go/internal/ledger"
	"github.com/github/gh-ost/go/internal/testserver"
	"github.com/github/gh-ost/go/logic/cutover"
)

// deadlyPoints are where a run may be killed, and how often it comes there at most.
var deadlyPoints = func() map[string]int {
	points := map[string]int{"copied": 40, "applied": 40}
	for _, name := range []string{"validate", "connect", "inspect", "stream", "listen", "takeLock", "createTables", "compareTables",
		"prepareCheckpoints", "serve", "follow", "beginCheckpoints", "startThrottling", "copyRows", "swap", "cleanUp",
		"readCheckpoint", "streamOn", "adoptTables"} {
		points[name] = 1
	}
	for _, phase := range steps {
		points[phase.String()] = 1
	}
	return points
}()

// survivalRounds is how many random rounds are run: a few, or as many as SURVIVAL_ROUNDS says, from SURVIVAL_SEED on.
func survivalRounds(t *testing.T) (first uint64, rounds int) {
	first, rounds = uint64(time.Now().UnixNano()), 2
	if text := os.Getenv("SURVIVAL_ROUNDS"); text != "" {
		n, err := strconv.Atoi(text)
		require.NoError(t, err)
		rounds = n
	}
	if text := os.Getenv("SURVIVAL_SEED"); text != "" {
		n, err := strconv.ParseUint(text, 10, 64)
		require.NoError(t, err)
		first = n
	}
	return first, rounds
}

// However often a run is killed, and wherever: going on from the last checkpoint brings the migration to its end, with every
// row as the clients know it.
func TestAMigrationSurvivesBeingKilledAnywhere(t *testing.T) {
	t.Parallel()
	first, rounds := survivalRounds(t)
	testserver.Both(t, func(t *testing.T, server *testserver.Server) {
		for i := range rounds {
			seed := first + uint64(i)
			t.Run(fmt.Sprintf("seed %d", seed), func(t *testing.T) {
				survive(t, server, rand.New(rand.NewPCG(seed, 1)))
			})
		}
	})
}

func survive(t *testing.T, server *testserver.Server, random *rand.Rand) {
	schema := server.Schema(t)
	load := startLoad(t, server, schema, "t", ledger.Options{Rows: 4000, Writers: 8, Readers: 1, Seed: random.Uint64()})
	run := mortalRun(t, server, schema)
	run.GTID = server.Flavor == testserver.MySQL && random.IntN(2) == 0
	names := sortedKeys(deadlyPoints)
	for deaths := random.IntN(4) + 1; deaths > 0; deaths-- {
		run.DieAt = names[random.IntN(len(names))]
		run.Times = random.IntN(deadlyPoints[run.DieAt]) + 1
		code := run.run(t)
		t.Logf("resume %v, dying at %s for the time %d: %d", run.Resume, run.DieAt, run.Times, code)
		switch code {
		case killed:
			run.Resume, run.DropGhost = true, false
			continue
		case nothingToHave:
			run.Resume, run.DropGhost = false, true
			continue
		}
		require.Zero(t, code)
		break
	}
	run.DieAt = ""
	code := run.run(t)
	if code == nothingToHave && run.Resume {
		if isMigrated(t, load) {
			load.requireNothingLost(t, "t")
			return
		}
		run.Resume, run.DropGhost = false, true
		code = run.run(t)
	}
	if code != 0 && isMigrated(t, load) && !run.Resume {
		code = 0 // it had come to its end: a second ADD COLUMN fails
	}
	log, _ := os.ReadFile(run.LogFile)
	require.Zero(t, code, "%s", log)
	require.True(t, isMigrated(t, load))
	require.NotContains(t, tablesOf(t, load.db, schema), "_t_gho")
	surviveRevert(t, load, run, random)
	load.requireNothingLost(t, "t")
}

// surviveRevert reverts, and begins again after each death.
func surviveRevert(t *testing.T, load *load, run mortal, random *rand.Rand) {
	if !slices.Contains(tablesOf(t, load.db, run.Schema), "_t_ghk") {
		return
	}
	run.Resume, run.DropGhost, run.Revert = false, false, "_t_del"
	points := []string{"applied", "streamSinceSwap", "prepareRevert", "applySinceSwap"}
	for _, phase := range steps {
		points = append(points, phase.String())
	}
	for deaths := random.IntN(3); deaths > 0 && isMigrated(t, load); deaths-- {
		run.DieAt, run.Times = points[random.IntN(len(points))], 1
		if code := run.run(t); code != killed {
			require.Zero(t, code)
		}
		t.Logf("reverting, died at %s", run.DieAt)
		requireNoOrphans(t, load)
	}
	if isMigrated(t, load) {
		run.succeed(t)
	}
	assert.False(t, isMigrated(t, load))
}

// requireNoOrphans waits until the server has ended what a dead run has left: the RENAME that stood in its queue goes on alone.
func requireNoOrphans(t *testing.T, load *load) {
	require.Eventually(t, func() bool {
		renames := -1 // the look fails on MySQL while somebody runs a statement with a character of four bytes
		err := load.db.QueryRow("SELECT COUNT(*) FROM information_schema.processlist WHERE info LIKE 'RENAME /* gh-ost%' AND db = DATABASE()").Scan(&renames)
		return err == nil && renames == 0
	}, 30*time.Second, 50*time.Millisecond)
}

func isMigrated(t *testing.T, l *load) bool {
	var columns int
	require.NoError(t, l.db.QueryRow("SELECT COUNT(*) FROM information_schema.columns WHERE table_schema = DATABASE() AND table_name = 't' AND column_name = 'extra'").Scan(&columns))
	return columns == 1
}

// A transaction of which a part is applied is not claimed by any checkpoint: after a kill in the middle of it the rest comes.
func TestAHalfAppliedTransactionIsAppliedWhollyAfterAKill(t *testing.T) {
	t.Parallel()
	testserver.Both(t, func(t *testing.T, server *testserver.Server) {
		for _, gtid := range []bool{false, true} {
			t.Run(fmt.Sprintf("gtid %v", gtid), func(t *testing.T) {
				schema := server.Schema(t)
				db := server.SchemaDB(t, schema)
				for _, statement := range []string{
					"CREATE TABLE t (id int PRIMARY KEY, v int NOT NULL)",
					"INSERT INTO t WITH RECURSIVE n AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM n WHERE i < 1000) SELECT i, 0 FROM n",
					"INSERT INTO t SELECT id + 1000, 0 FROM t", "INSERT INTO t SELECT id + 2000, 0 FROM t", "INSERT INTO t SELECT id + 4000, 0 FROM t", "INSERT INTO t SELECT id + 8000, 0 FROM t",
				} {
					_, err := db.Exec(statement)
					require.NoError(t, err)
				}
				run := mortalRun(t, server, schema)
				run.GTID = gtid
				run.PostponeFile = filepath.Join(t.TempDir(), "postpone")
				run.DieAt, run.Times = "applied", 3
				command := run.start(t)
				require.Eventually(t, func() bool {
					var rows int
					return db.QueryRow("SELECT COUNT(*) FROM _t_gho").Scan(&rows) == nil && rows == 16_000
				}, time.Minute, 50*time.Millisecond)

				_, err := db.Exec("UPDATE t SET v = v + 1")
				require.NoError(t, err)
				_ = command.Wait()
				var half int
				require.NoError(t, db.QueryRow("SELECT SUM(v) FROM _t_gho").Scan(&half))
				require.Less(t, half, 16_000, "it was killed in the middle")
				require.NoError(t, os.Remove(run.PostponeFile))
				run.PostponeFile, run.Resume = "", true
				run.succeed(t)

				var rows, sum, extra int
				require.NoError(t, db.QueryRow("SELECT COUNT(*), SUM(v), SUM(extra) FROM t").Scan(&rows, &sum, &extra))
				assert.Equal(t, []int{16_000, 16_000, 7 * 16_000}, []int{rows, sum, extra})
			})
		}
	})
}

// A run that is killed right behind the swap has swapped the tables; going on tells so and tidies up.
func TestARunKilledBehindTheSwapIsBroughtToItsEnd(t *testing.T) {
	t.Parallel()
	testserver.Both(t, func(t *testing.T, server *testserver.Server) {
		for _, point := range []string{cutover.Unlocking.String(), cutover.Done.String(), "cleanUp"} {
			t.Run(point, func(t *testing.T) {
				schema := server.Schema(t)
				load := startLoad(t, server, schema, "t", ledger.Options{Rows: 500, Writers: 4})
				run := mortalRun(t, server, schema)
				run.DieAt = point
				require.Equal(t, killed, run.run(t))
				require.Eventually(t, func() bool { return isMigrated(t, load) }, 10*time.Second, 50*time.Millisecond)

				run.Resume, run.OkToDrop = true, true
				run.succeed(t)

				load.requireNothingLost(t, "t")
				assert.Equal(t, []string{"t"}, tablesOf(t, load.db, schema))
			})
		}
	})
}
