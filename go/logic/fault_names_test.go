package logic

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/github/gh-ost/go/internal/ledger"
	"github.com/github/gh-ost/go/internal/testserver"
	"github.com/github/gh-ost/go/logic/cutover"
)

// K30: the order of names decides what the RENAME waits for first, and what proves that it is queued.
func TestFaultNamesThatSortInAnyWay(t *testing.T) {
	names := []string{"Orders", "0rders", strings.Repeat("n", 64), "or-ders", "or ders", "or'ders", "or`ders", "_orders", "ordérs", "~orders"}
	if !allFaults() {
		names = []string{"Orders", strings.Repeat("n", 64), "or`d'e r-s", "_orders"}
	}
	testserver.Both(t, func(t *testing.T, server *testserver.Server) { migrateNames(t, server, names...) })
}

// Without its tables of locks MySQL has to be asked in another way.
func TestFaultNamesThatSortInAnyWayWithoutPerformanceSchema(t *testing.T) {
	server := testserver.Start(t, testserver.Options{Args: []string{"--performance-schema=OFF"}})
	migrateNames(t, server, "Orders", "orders", "_orders")
}

// A server that ignores the case of names keeps its locks by lower case.
func TestFaultNamesWhoseCaseIsIgnored(t *testing.T) {
	server := testserver.Start(t, testserver.Options{Flavor: testserver.MariaDB, Args: []string{"--lower-case-table-names=1"}})
	migrateNames(t, server, "Orders")
}

// migrateNames migrates tables of these names, and makes the first attempt at each fail late.
func migrateNames(t *testing.T, server *testserver.Server, names ...string) {
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			schema := server.Schema(t)
			load := startLoad(t, server, schema, name, ledger.Options{Rows: 300, Writers: 6, Readers: 1, Seed: 1})
			m := newMigration(t, server, schema, name, "ADD COLUMN extra int NOT NULL DEFAULT 7")
			r := &faultRun{migration: m, t: t, server: server, schema: schema, load: load, admin: load.db, points: map[string]*point{}}
			m.seam = r.pass
			r.at(cutover.Checking, func() { r.kill("QUERY", r.renameID()) })

			require.NoError(t, requireEnd(t, m.start(), time.Minute))

			load.requireNothingLost(t, name)
			require.NoError(t, load.Stats().Err())
			assert.Equal(t, []string{"not swapped", "swapped"}, r.outcomes())
			assert.Len(t, tablesOf(t, load.db, schema), 2)
			r.requireStall(500 * time.Millisecond)
		})
	}
}
