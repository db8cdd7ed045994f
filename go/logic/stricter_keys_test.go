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

// stricter is a change by which a unique key refuses rows that the original accepts.
type stricter struct {
	create    []string
	alter     string
	duplicate []string // makes a row with the key 77 that meets another
	resolve   []string // makes it fit
	says      string
}

// K26
var stricterChanges = map[string]stricter{
	"a unique key added": {
		create:    []string{"CREATE TABLE %t (id int NOT NULL PRIMARY KEY, u int)", "INSERT INTO %t " + sequence + "SELECT n, n + 500 FROM s"},
		alter:     "ADD UNIQUE KEY added (u)",
		duplicate: []string{"INSERT INTO %t VALUES (77, 505)"},
		resolve:   []string{"DELETE FROM %t WHERE id = 5"},
		says:      "505",
	},
	"a key made unique on fewer columns": {
		create:    []string{"CREATE TABLE %t (id int NOT NULL PRIMARY KEY, a int, b int, UNIQUE KEY ab (a, b))", "INSERT INTO %t " + sequence + "SELECT n, n + 500, 1 FROM s"},
		alter:     "DROP KEY ab, ADD UNIQUE KEY added (a)",
		duplicate: []string{"INSERT INTO %t VALUES (77, 505, 2)"},
		resolve:   []string{"UPDATE %t SET a = 9999 WHERE id = 77"},
		says:      "505",
	},
	"a collation that takes two spellings for one": {
		create:    []string{"CREATE TABLE %t (id int NOT NULL PRIMARY KEY, s varchar(20) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL, UNIQUE KEY s (s))", "INSERT INTO %t " + sequence + "SELECT n, CONCAT('Text', n) FROM s"},
		alter:     "MODIFY s varchar(20) CHARACTER SET utf8mb4 COLLATE utf8mb4_unicode_ci NOT NULL",
		duplicate: []string{"INSERT INTO %t VALUES (77, 'tëxt5')"},
		resolve:   []string{"DELETE FROM %t WHERE id = 77"},
		says:      "(?i)t[eë]xt5",
	},
	"the collation of the key that rows are told apart by": {
		create:    []string{"CREATE TABLE %t (k varchar(20) CHARACTER SET latin1 COLLATE latin1_bin NOT NULL PRIMARY KEY, v int)", "INSERT INTO %t " + sequence + "SELECT CONCAT('text', n), n FROM s"},
		alter:     "CONVERT TO CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci",
		duplicate: []string{"INSERT INTO %t VALUES ('Text77', 0), ('text77', 1)"},
		resolve:   []string{"DELETE FROM %t WHERE k = 'text77'"},
		says:      "(?i)text77",
	},
	"a unique key on a column that is computed": {
		create:    []string{"CREATE TABLE %t (id int NOT NULL PRIMARY KEY, u int)", "INSERT INTO %t " + sequence + "SELECT n, n * 10 FROM s"},
		alter:     "ADD g int GENERATED ALWAYS AS (u DIV 10) STORED, ADD UNIQUE KEY added (g)",
		duplicate: []string{"INSERT INTO %t VALUES (77, 51)"},
		resolve:   []string{"UPDATE %t SET u = 1000 WHERE id = 5"},
		says:      "'5'",
	},
	"a unique key on a prefix": {
		create:    []string{"CREATE TABLE %t (id int NOT NULL PRIMARY KEY, u varchar(20) CHARACTER SET latin1)", "INSERT INTO %t " + sequence + "SELECT n, CONCAT(n, '------') FROM s"},
		alter:     "ADD UNIQUE KEY added (u(4))",
		duplicate: []string{"INSERT INTO %t VALUES (77, '33---+')"},
		resolve:   []string{"REPLACE INTO %t VALUES (33, 'other')"},
		says:      "33--",
	},
}

func TestRowsThatBreakAStricterUniqueKeyEndTheMigration(t *testing.T) {
	testserver.Both(t, func(t *testing.T, server *testserver.Server) {
		for name, change := range stricterChanges {
			s := scenario{create: change.create, alter: change.alter}
			requireConflict := func(t *testing.T, r *running) {
				t.Helper()
				err := r.end()
				var conflict *ConflictError
				require.ErrorAs(t, err, &conflict)
				assert.Regexp(t, `key \((5|33|[Tt]?e?x?t?77)\)`, err.Error(), "names the key of one of the two")
				assert.Regexp(t, change.says, err.Error(), "names the values")
				assert.Contains(t, tablesOf(t, r.db, r.schema), "_t_gho", "nothing was swapped")
			}
			t.Run(name+", broken before", func(t *testing.T) {
				t.Parallel()
				s := s
				s.create = append(s.create[:len(s.create):len(s.create)], change.duplicate...)
				r := s.begin(t, server)
				r.copyRows()
				requireConflict(t, r)
			})
			t.Run(name+", broken before the copy", func(t *testing.T) {
				t.Parallel()
				r := s.begin(t, server)
				r.exec(change.duplicate...)
				r.copyRows()
				requireConflict(t, r)
			})
			t.Run(name+", broken later", func(t *testing.T) {
				t.Parallel()
				r := s.begin(t, server)
				r.copyRows()
				r.exec(change.duplicate...)
				requireConflict(t, r)
			})
		}
	})
}

func TestConflictsThatPassAreNoneAndNoRowIsMissingAfterThem(t *testing.T) {
	all := map[string]scenario{}
	for name, change := range stricterChanges {
		present := append(change.create[:len(change.create):len(change.create)], change.duplicate...)
		all[name+", passing after the copy"] = scenario{create: present, alter: change.alter, after: change.resolve}
		all[name+", coming and going"] = scenario{create: change.create, alter: change.alter, before: change.duplicate, after: change.resolve}
		all[name+", coming and going late"] = scenario{create: change.create, alter: change.alter,
			after: append(append(change.duplicate[:len(change.duplicate):len(change.duplicate)], "DO SLEEP(0.2)"), change.resolve...)}
	}
	for name, s := range all {
		s.differs = true // servers write expressions in their own words
		all[name] = s
	}
	scenarios(t, all)
}

// The ledger hands unique values over all the time; here they are unique once more, by a key that the original has not.
func TestABusyTableGetsAnotherUniqueKeyWithNothingLost(t *testing.T) {
	testserver.Both(t, func(t *testing.T, server *testserver.Server) {
		for _, seed := range ledgerSeeds(t) {
			t.Run(fmt.Sprintf("seed %d", seed), func(t *testing.T) {
				schema := server.Schema(t)
				load := startLoad(t, server, schema, "t", ledger.Options{Rows: 5000, Writers: 8, Pause: 2 * time.Millisecond, Seed: seed})
				m := newMigration(t, server, schema, "t", "ADD again bigint GENERATED ALWAYS AS (slot + 1) STORED, ADD UNIQUE KEY again_uidx (again)")

				require.NoError(t, requireEnd(t, m.start(), time.Minute))

				load.requireNothingLost(t, "t")
			})
		}
	})
}

func TestAKeyWhoseValuesMayBecomeOneIsRefused(t *testing.T) {
	testserver.Both(t, func(t *testing.T, server *testserver.Server) {
		for _, change := range []struct{ from, to string }{
			{"datetime(6)", "datetime"}, {"decimal(10,4)", "decimal(10,2)"}, {"varchar(20)", "int"}, {"double", "int"},
		} {
			schema := server.Schema(t)
			server.Exec(t, fmt.Sprintf("CREATE TABLE %s.t (k %s NOT NULL PRIMARY KEY, v int)", schema, change.from))
			m := newMigration(t, server, schema, "t", fmt.Sprintf("MODIFY k %s NOT NULL", change.to))
			err := requireEnd(t, m.start(), 30*time.Second)
			require.ErrorContains(t, err, "`k`", "%v", change)
			assert.Equal(t, []string{"t"}, tablesOf(t, server.DB(t), schema))
		}
	})
}
