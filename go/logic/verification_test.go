package logic

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/github/gh-ost/go/base"
	"github.com/github/gh-ost/go/internal/ledger"
	"github.com/github/gh-ost/go/internal/testserver"
	"github.com/github/gh-ost/go/logic/apply"
	"github.com/github/gh-ost/go/logic/verify"
)

// allowTemporaryTables gives the account what a checksum needs where an ALTER converts values.
func allowTemporaryTables(t *testing.T, server *testserver.Server, schema string) {
	server.Exec(t, fmt.Sprintf("GRANT CREATE TEMPORARY TABLES ON `%s`.* TO '%s'@'%%'", schema, server.User))
}

func withChecksum(c *base.MigrationContext) { c.Checksum = true }

func TestAChecksumPassesUnderLoad(t *testing.T) {
	testserver.Both(t, func(t *testing.T, server *testserver.Server) {
		for seed, alter := range []string{
			"ADD COLUMN extra int NOT NULL DEFAULT 7",
			"MODIFY id bigint unsigned NOT NULL, MODIFY payload mediumtext CHARACTER SET utf16",
			"MODIFY counter decimal(20,0) NOT NULL, MODIFY slot varchar(20) NOT NULL",
		} {
			t.Run(alter, func(t *testing.T) {
				schema := server.Schema(t)
				load := startLoad(t, server, schema, "t", ledger.Options{Rows: 5000, Writers: 8, Readers: 2, Seed: uint64(seed)})
				allowTemporaryTables(t, server, schema)
				m := newMigration(t, server, schema, "t", alter, withChecksum)

				require.NoError(t, requireEnd(t, m.start(), 2*time.Minute))

				load.requireNothingLost(t, "t")
				assert.True(t, m.log.contains("Checksum: compared "))
				t.Log(m.lastReport.Load().Lines())
			})
		}
	})
}

// faultyStatements do something wrong to one row of the n-th statement.
type faultyStatements struct {
	apply.Statements
	after *atomic.Int64
	bend  func(rows [][]any) [][]any
}

func (s faultyStatements) Replace(rows [][]any) (string, []any, error) {
	if s.after.Add(-1) == 0 {
		rows = s.bend(rows)
	}
	if len(rows) == 0 {
		return "DO 0", nil, nil
	}
	return s.Statements.Replace(rows)
}

// beginVerified starts a migration with a checksum, and returns when all is copied and the cut-over is postponed.
func beginVerified(t *testing.T, server *testserver.Server, create, alter string, prepare ...func(*running)) *running {
	t.Helper()
	r := &running{t: t, schema: server.Schema(t), table: "t", postpone: filepath.Join(t.TempDir(), "postpone")}
	r.db = server.SchemaDB(t, r.schema)
	r.db.SetMaxOpenConns(1)
	r.exec(strings.Split(create, ";")...)
	r.migration = newMigration(t, server, r.schema, "t", alter, withChecksum, func(c *base.MigrationContext) {
		c.SetPostponeCutOverFlagFile(r.postpone)
		c.SetChunkSize(10)
	})
	for _, p := range prepare {
		p(r)
	}
	require.NoError(t, os.WriteFile(r.postpone, nil, 0o600))
	r.result = r.start()
	t.Cleanup(func() { // a failed test must not leave it running
		r.context.CancelContext()
		requireEnd(t, r.result, 20*time.Second)
	})
	r.await("cut-over waits: the flag file")
	r.await("Checksum: compared")
	return r
}

// requireStopped lets the cut-over happen and requires that the checksum stops it.
func (r *running) requireStopped(parts ...string) {
	r.t.Helper()
	if len(r.result) == 0 {
		_ = os.Remove(r.postpone)
	}
	err := r.ended()
	requireDifference(r.t, err, parts...)
	tables := tablesOf(r.t, r.db, r.schema)
	assert.Contains(r.t, tables, "_t_gho", "nothing is swapped")
	assert.NotContains(r.t, tables, "_t_del")
}

const threeRows = "CREATE TABLE %t (id int PRIMARY KEY, n int, v varchar(40)); INSERT INTO %t VALUES (1, 1, 'a'), (2, 2, 'b'), (3, 3, 'c')"

func TestAFaultOfTheWriterStopsTheCutOver(t *testing.T) {
	faults := map[string]func(rows [][]any) [][]any{
		"an event is dropped": func(rows [][]any) [][]any { return rows[1:] },
		"a value is bent": func(rows [][]any) [][]any {
			row := append([]any(nil), rows[0]...)
			row[2] = "not what was written"
			return append([][]any{row}, rows[1:]...)
		},
	}
	testserver.Both(t, func(t *testing.T, server *testserver.Server) {
		for name, bend := range faults {
			for _, at := range []int64{1, 10} {
				t.Run(fmt.Sprintf("%s in statement %d", name, at), func(t *testing.T) {
					left := &atomic.Int64{}
					left.Store(at)
					r := beginVerified(t, server, threeRows, "ADD w int", func(r *running) {
						r.bend = func(s apply.Statements) apply.Statements { return faultyStatements{s, left, bend} }
					})
					for i := range 20 {
						r.exec(fmt.Sprintf("INSERT INTO %%t VALUES (%d, 5, 'x')", 10+i))
						time.Sleep(2*lingerTime + 5*time.Millisecond) // so that each comes in a batch of its own
					}
					require.LessOrEqual(t, left.Load(), int64(0))
					r.requireStopped("`id` = ")
				})
			}
		}
	})
}

func TestAFaultInTheLastMomentStopsTheCutOver(t *testing.T) {
	testserver.Both(t, func(t *testing.T, server *testserver.Server) {
		var armed, broken atomic.Bool
		r := beginVerified(t, server, threeRows, "ADD w int", func(r *running) {
			r.bend = func(s apply.Statements) apply.Statements {
				left := &atomic.Int64{}
				left.Store(1)
				return faultyStatements{s, left, func(rows [][]any) [][]any { broken.Store(true); return rows[1:] }}
			}
			r.seam = func(point string) {
				if point == "lock-wait" && !armed.Swap(true) {
					_, err := r.db.Exec("INSERT INTO t VALUES (99, 1, 'the last row')")
					assert.NoError(t, err)
				}
			}
		})
		r.requireStopped("the row with (`id` = \"99\") is missing from the ghost table")
		assert.True(t, armed.Load())
		assert.True(t, broken.Load())
	})
}

func TestRowsChangedPastTheBinaryLogStopTheCutOver(t *testing.T) {
	testserver.Both(t, func(t *testing.T, server *testserver.Server) {
		for statement, expected := range map[string]string{
			"UPDATE t SET v = 'other', n = 7 WHERE id = 2": "the row with (`id` = \"2\") differs in: `n`, `v`",
			"DELETE FROM t WHERE id = 3":                   "the row with (`id` = \"3\") stands in the ghost table only",
			"INSERT INTO t VALUES (4, 4, 'd')":             "the row with (`id` = \"4\") is missing from the ghost table",
			"UPDATE _t_gho SET v = NULL WHERE id = 1":      "the row with (`id` = \"1\") differs in: `v`",
			"DELETE FROM _t_gho WHERE id = 1":              "the row with (`id` = \"1\") is missing from the ghost table",
			"INSERT INTO _t_gho (id) VALUES (-5)":          "the row with (`id` = \"-5\") stands in the ghost table only",
		} {
			t.Run(statement, func(t *testing.T) {
				r := beginVerified(t, server, threeRows, "ADD w int")
				admin := server.SchemaDB(t, r.schema)
				conn, err := admin.Conn(t.Context())
				require.NoError(t, err)
				defer conn.Close()
				for _, s := range []string{"SET SESSION sql_log_bin = 0", statement} {
					_, err := conn.ExecContext(t.Context(), s)
					require.NoError(t, err)
				}
				r.requireStopped(expected)
			})
		}
	})
}

func TestRowsThatTheKeyOrdersInAnotherWayAreVerified(t *testing.T) {
	const create = "CREATE TABLE %t (k varchar(20) CHARACTER SET latin1 COLLATE latin1_bin PRIMARY KEY, v int); INSERT INTO %t VALUES ('a', 1), ('B', 2), ('c', 3), ('ü', 4), ('Z', 5)"
	const alter = "MODIFY k varchar(30) CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci"
	testserver.Both(t, func(t *testing.T, server *testserver.Server) {
		for statement, expected := range map[string]string{
			"DO 0":                                     "",
			"UPDATE _t_gho SET v = 8 WHERE k = 'ü'":    "differs in: `v`",
			"DELETE FROM _t_gho WHERE k = 'B'":         "(`k` = \"B\") is missing from the ghost table",
			"INSERT INTO _t_gho VALUES ('é', 1)":       "stands in the ghost table only",
			"INSERT INTO _t_gho VALUES ('not: 日本', 1)": "whose key no row of the original can have",
		} {
			t.Run(statement, func(t *testing.T) {
				r := beginVerified(t, server, create, alter)
				r.exec("INSERT INTO %t VALUES ('ö', 1)", "UPDATE %t SET v = 6 WHERE k = 'Z'", statement)
				switch {
				case expected == "":
					assert.Contains(t, r.snapshot().Line(), "State: postponing cut-over, checksum 100%")
					require.NoError(t, r.end())
				case strings.HasPrefix(expected, "whose"):
					require.ErrorContains(t, r.end(), expected)
				default:
					r.requireStopped(expected)
				}
			})
		}
	})
}

func TestAMigrationThatCannotBeVerifiedIsRefusedBeforeItBegins(t *testing.T) {
	server := testserver.Shared(t, testserver.MySQL)
	schema := server.Schema(t)
	db := server.SchemaDB(t, schema)
	_, err := db.Exec("CREATE TABLE t (id enum('a', 'b') PRIMARY KEY, v int)")
	require.NoError(t, err)
	m := newMigration(t, server, schema, "t", "MODIFY id enum('b', 'a')", withChecksum)
	require.ErrorContains(t, requireEnd(t, m.start(), time.Minute), "--checksum cannot verify this migration: the rows of both tables cannot be paired by column `id`")
	assert.Equal(t, []string{"t"}, tablesOf(t, db, schema))
}

// Writers without a pause leave no gap for a lock that lets readers pass, and in two steps none is asked for: then only the
// locking session can read the original, and that by way of its own temporary table.
func TestTheLastRowsAreVerifiedThroughTheLockingSession(t *testing.T) {
	testserver.Both(t, func(t *testing.T, server *testserver.Server) {
		for _, way := range []base.CutOver{base.CutOverAtomic, base.CutOverTwoStep} {
			t.Run(way.String(), func(t *testing.T) {
				schema := server.Schema(t)
				allowTemporaryTables(t, server, schema)
				load := startLoad(t, server, schema, "t", ledger.Options{Rows: 2000, Writers: 8, Pause: 500 * time.Microsecond})
				m := newMigration(t, server, schema, "t", "MODIFY counter decimal(20,0) NOT NULL", withChecksum, func(c *base.MigrationContext) {
					c.CutOverType = way
					require.NoError(t, c.SetCutOverLockTimeoutSeconds(2))
				})

				require.NoError(t, requireEnd(t, m.start(), 2*time.Minute))

				load.stop()
				report, err := load.Verify(t.Context(), nil, "t")
				require.NoError(t, err)
				require.NoError(t, report.Err(), report.String())
				t.Log(m.lastReport.Load().Lines())
			})
		}
	})
}

// A fault in the last moment is found by way of the locking session, too.
func TestAFaultInTheLastMomentOfTwoStepsStopsTheCutOver(t *testing.T) {
	server := testserver.Shared(t, testserver.MySQL)
	var armed atomic.Bool
	r := beginVerified(t, server, threeRows, "MODIFY n varchar(10)", func(r *running) {
		allowTemporaryTables(t, server, r.Migrator.context.DatabaseName)
		r.Migrator.context.CutOverType = base.CutOverTwoStep
		r.bend = func(s apply.Statements) apply.Statements {
			left := &atomic.Int64{}
			left.Store(1)
			return faultyStatements{s, left, func(rows [][]any) [][]any { return rows[1:] }}
		}
		r.seam = func(point string) {
			if point == "lock-wait" && !armed.Swap(true) {
				_, err := r.db.Exec("UPDATE t SET n = 77 WHERE id = 3")
				assert.NoError(t, err)
			}
		}
	})
	r.requireStopped("the row with (`id` = \"3\") differs in: `n`")
	assert.True(t, armed.Load())
	assert.True(t, r.log.contains("under the lock"), "it was found before the swap, not by chance")
}

// A transaction that stays open keeps the lock that lets readers pass away, so that one is asked for which holds them.
func TestAFaultInTheLastMomentBehindALockThatHoldsReadersStopsTheCutOver(t *testing.T) {
	testserver.Both(t, func(t *testing.T, server *testserver.Server) {
		var armed atomic.Bool
		committed := make(chan error, 1)
		r := beginVerified(t, server, threeRows, "MODIFY n varchar(10)", func(r *running) {
			allowTemporaryTables(t, server, r.Migrator.context.DatabaseName)
			require.NoError(t, r.Migrator.context.SetCutOverLockTimeoutSeconds(1))
			left := &atomic.Int64{}
			left.Store(1)
			r.bend = func(s apply.Statements) apply.Statements {
				return faultyStatements{s, left, func(rows [][]any) [][]any { return rows[1:] }}
			}
			r.seam = func(point string) {
				if point != "lock-wait" || armed.Swap(true) {
					return
				}
				tx, err := r.db.Begin()
				if assert.NoError(t, err) {
					_, err = tx.Exec("UPDATE t SET n = 77 WHERE id = 3")
					assert.NoError(t, err)
				}
				go func() {
					for !r.log.contains("against reads too") {
						time.Sleep(time.Millisecond)
					}
					time.Sleep(20 * time.Millisecond)
					committed <- tx.Commit()
				}()
			}
		})
		require.NoError(t, os.Remove(r.postpone))
		err := r.ended()
		require.NoError(t, <-committed)
		requireDifference(t, err, "the row with (`id` = \"3\") differs in: `n`")
		assert.True(t, r.log.contains("under the lock"), "it was found before the swap, not by chance")
		assert.Contains(t, tablesOf(t, r.db, r.schema), "_t_gho", "nothing is swapped")
	})
}

func TestAnAccountThatMayNotMakeTemporaryTablesIsToldSo(t *testing.T) {
	server := testserver.Shared(t, testserver.MySQL)
	schema := server.Schema(t)
	_, err := server.SchemaDB(t, schema).Exec("CREATE TABLE t (id int PRIMARY KEY, v int)")
	require.NoError(t, err)
	m := newMigration(t, server, schema, "t", "MODIFY v varchar(20)", withChecksum)
	require.ErrorContains(t, requireEnd(t, m.start(), time.Minute), "GRANT CREATE TEMPORARY TABLES")
	assert.Equal(t, []string{"t"}, tablesOf(t, server.SchemaDB(t, schema), schema))
}

func requireDifference(t *testing.T, err error, parts ...string) {
	t.Helper()
	var difference *verify.DifferenceError
	require.ErrorAs(t, err, &difference)
	for _, part := range parts {
		assert.ErrorContains(t, err, part)
	}
}
