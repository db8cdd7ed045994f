package logic

import (
	gosql "database/sql"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/github/gh-ost/go/internal/testserver"
)

// migrateFor makes a table, migrates it with checkpoints, and lets clients write into it afterwards.
func migrateFor(t *testing.T, server *testserver.Server, given []string, alter string, writes []string) (schema string, db *gosql.DB) {
	schema = server.Schema(t)
	db = server.SchemaDB(t, schema)
	mustExec(t, db, given...)
	require.NoError(t, requireEnd(t, newMigration(t, server, schema, "t", alter, checkpointed).start(), time.Minute))
	mustExec(t, db, writes...)
	return schema, db
}

// The migration has dropped a unique key and a column. A row takes a new key and, for a moment, a value that another has,
// which the old table does not allow: it is the same row all the same, and the only one.
func TestARevertedRowThatMovesWhileItsUniqueValueIsTakenKeepsItsDroppedColumn(t *testing.T) {
	testserver.Both(t, func(t *testing.T, server *testserver.Server) {
		schema, db := migrateFor(t, server,
			[]string{"CREATE TABLE t (id int PRIMARY KEY, u int, gone varchar(20) NOT NULL DEFAULT 'none', UNIQUE KEY (u))", "INSERT INTO t VALUES (1, 1, 'g1'), (3, 2, 'g3')"},
			"DROP COLUMN gone, DROP KEY u",
			[]string{"UPDATE t SET id = 2, u = 2 WHERE id = 1", "INSERT INTO t VALUES (1, 7)", "UPDATE t SET u = 5 WHERE id = 3"})

		require.NoError(t, requireEnd(t, newRevert(t, server, schema, "_t_del").startRevert(), time.Minute))

		assert.Equal(t, []string{"1,7,none", "2,2,g1", "3,5,g3"}, rowsOf(t, db, "SELECT id, u, gone FROM t ORDER BY id"))
	})
}

// Keys that the old table's collation holds for equal stand for two rows: none may take the other's place.
func TestARevertIsRefusedWhereTheOldCollationTakesTwoKeysForOne(t *testing.T) {
	testserver.Both(t, func(t *testing.T, server *testserver.Server) {
		for _, alter := range []string{
			"MODIFY k varchar(20) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL",
			"MODIFY k varchar(20) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL, DROP COLUMN gone",
		} {
			t.Run(alter, func(t *testing.T) {
				schema, db := migrateFor(t, server,
					[]string{"CREATE TABLE t (k varchar(20) CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci PRIMARY KEY, v int, gone int DEFAULT 1)", "INSERT INTO t (k, v) VALUES ('a', 1), ('b', 2)"},
					alter, []string{"INSERT INTO t (k, v) VALUES ('A', 3)", "UPDATE t SET v = 4 WHERE k = 'b'"})

				err := requireEnd(t, newRevert(t, server, schema, "_t_del").startRevert(), time.Minute)

				assert.ErrorContains(t, err, "key (A)")
				assert.Equal(t, []string{"A,3", "a,1", "b,4"}, rowsOf(t, db, "SELECT k, v FROM t ORDER BY k"))
			})
		}
	})
}

// Rows that change places are the same rows also when what was applied is given to the old table once more.
func TestAnInterruptedRevertKeepsDroppedColumnsOfRowsThatMoveAfterOneAnother(t *testing.T) {
	testserver.Both(t, func(t *testing.T, server *testserver.Server) {
		schema, db := migrateFor(t, server,
			[]string{"CREATE TABLE t (id int PRIMARY KEY, u int, gone varchar(20) NOT NULL DEFAULT 'none', UNIQUE KEY (u))", "INSERT INTO t VALUES (1, 1, 'g1'), (3, 3, 'g3'), (4, 4, 'g4')"},
			"DROP COLUMN gone, DROP KEY u, ADD COLUMN extra int",
			[]string{"UPDATE t SET id = 2 WHERE id = 1", "UPDATE t SET id = 1 WHERE id = 3", "DELETE FROM t WHERE id = 2", "UPDATE t SET u = 3 WHERE id = 4"})
		run := mortalRun(t, server, schema)
		run.Alter, run.Revert, run.DieAt = "", "_t_del", "swap"
		require.Equal(t, killed, run.run(t))
		assert.Equal(t, []string{"1,3,g3", "4,4,g4"}, rowsOf(t, db, "SELECT id, u, gone FROM _t_del ORDER BY id"), "the last change is owed")
		mustExec(t, db, "UPDATE t SET u = 9 WHERE id = 1")

		run.succeed(t)

		assert.Equal(t, []string{"1,9,g3", "4,3,g4"}, rowsOf(t, db, "SELECT id, u, gone FROM t ORDER BY id"))
	})
}

// A time that the server would set with each change of a row is not set by the revert's.
func TestARevertKeepsADroppedTimeOfTheLastUpdate(t *testing.T) {
	testserver.Both(t, func(t *testing.T, server *testserver.Server) {
		schema, db := migrateFor(t, server,
			[]string{"CREATE TABLE t (id int PRIMARY KEY, v int, `when?` datetime DEFAULT NULL ON UPDATE CURRENT_TIMESTAMP, gone int)", "INSERT INTO t VALUES (1, 1, '2020-02-02', 1), (2, 2, '2020-02-02', 2)"},
			"DROP COLUMN `when?`, DROP COLUMN gone", []string{"UPDATE t SET v = 10 WHERE id = 1", "UPDATE t SET id = 3 WHERE id = 2"})

		require.NoError(t, requireEnd(t, newRevert(t, server, schema, "_t_del").startRevert(), time.Minute))

		assert.Equal(t, []string{"1,10,2020-02-02 00:00:00,1", "3,2,2020-02-02 00:00:00,2"}, rowsOf(t, db, "SELECT * FROM t ORDER BY id"))
	})
}

// What the old table does not take ends the revert, which says where; once that is put right, the revert succeeds, although it
// reads the wrong values again.
func TestARevertSucceedsOnceARowThatTheOldTableRefusedIsPutRight(t *testing.T) {
	testserver.Both(t, func(t *testing.T, server *testserver.Server) {
		for _, test := range []struct{ name, alter string }{
			{"rows", "MODIFY n int, MODIFY s varchar(100)"},
			{"rows with dropped columns", "MODIFY n int, MODIFY s varchar(100), DROP COLUMN gone"},
		} {
			t.Run(test.name, func(t *testing.T) {
				schema, db := migrateFor(t, server,
					[]string{"CREATE TABLE t (id int PRIMARY KEY, n tinyint, s varchar(3), gone int)", "INSERT INTO t VALUES (1, 1, 'a', 1), (2, 2, 'b', 2)"},
					test.alter, []string{"UPDATE t SET n = 1000, id = 10 WHERE id = 1", "INSERT INTO t (id, n, s) VALUES (1, 5, 'c')"})

				for _, wrong := range []string{"10", "2"} {
					err := requireEnd(t, newRevert(t, server, schema, "_t_del").startRevert(), time.Minute)
					assert.ErrorContains(t, err, "the old table does not take 1 row(s): key ("+wrong+")")
					assert.ErrorContains(t, err, "Nothing was swapped")
					assert.Contains(t, tablesOf(t, db, schema), "_t_del")
					mustExec(t, db, "UPDATE t SET n = 7 WHERE id = 10", "UPDATE t SET s = IF(s = 'b', 'far too long', 'ok') WHERE id = 2")
				}
				require.NoError(t, requireEnd(t, newRevert(t, server, schema, "_t_del").startRevert(), time.Minute))

				assert.Equal(t, []string{"1,5,c", "10,7,a", "2,2,ok"}, rowsOf(t, db, "SELECT id, n, s FROM t ORDER BY CAST(id AS CHAR)"))
			})
		}
	})
}

func TestARevertNamesTheTriggersThatStandInItsWay(t *testing.T) {
	server := testserver.Shared(t, testserver.MySQL)
	schema, db := migrateFor(t, server, []string{"CREATE TABLE t (id int PRIMARY KEY, v int)", "INSERT INTO t VALUES (1, 1)"}, "ADD COLUMN w int",
		[]string{"CREATE TRIGGER fires BEFORE UPDATE ON _t_del FOR EACH ROW SET NEW.v = 0", "CREATE TRIGGER is_lost BEFORE UPDATE ON t FOR EACH ROW SET NEW.v = 0"})

	err := requireEnd(t, newRevert(t, server, schema, "_t_del").startRevert(), time.Minute)
	assert.ErrorContains(t, err, "`_t_del` has triggers (`fires`)")

	mustExec(t, db, "DROP TRIGGER fires")
	err = requireEnd(t, newRevert(t, server, schema, "_t_del").startRevert(), time.Minute)
	assert.ErrorContains(t, err, "`t` has triggers (`is_lost`)")
	assert.ErrorContains(t, err, "Drop them")
	assert.NotContains(t, err.Error(), "created on the new table")

	mustExec(t, db, "DROP TRIGGER is_lost")
	require.NoError(t, requireEnd(t, newRevert(t, server, schema, "_t_del").startRevert(), time.Minute))
}
