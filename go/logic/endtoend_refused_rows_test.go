package logic

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/github/gh-ost/go/internal/testserver"
)

// lossy is a change that some row does not survive: a native ALTER refuses it, and so must a migration.
type lossy struct {
	create string
	row    string // of the table with the key 77, which does not fit
	alter  string
	says   string // a pattern for what the error names beside the key
}

// K24, K25
var lossyChanges = map[string]lossy{
	"NULL into NOT NULL":          {"CREATE TABLE t (id int NOT NULL PRIMARY KEY, c int)", "INSERT INTO t VALUES (77, NULL)", "MODIFY c int NOT NULL", "'?c'?"},
	"too long":                    {"CREATE TABLE t (id int NOT NULL PRIMARY KEY, c varchar(20))", "INSERT INTO t VALUES (77, 'sixsix')", "MODIFY c varchar(3)", "'c'"},
	"out of range":                {"CREATE TABLE t (id int NOT NULL PRIMARY KEY, c int)", "INSERT INTO t VALUES (77, 1000)", "MODIFY c tinyint", "'c'"},
	"negative into unsigned":      {"CREATE TABLE t (id int NOT NULL PRIMARY KEY, c int)", "INSERT INTO t VALUES (77, -5)", "MODIFY c int unsigned", "'c'"},
	"no such label":               {"CREATE TABLE t (id int NOT NULL PRIMARY KEY, c enum('a','b','c'))", "INSERT INTO t VALUES (77, 'b')", "MODIFY c enum('a','c')", "'c'"},
	"no such character":           {"CREATE TABLE t (id int NOT NULL PRIMARY KEY, c varchar(20) CHARACTER SET utf8mb4)", "INSERT INTO t VALUES (77, 'Ω')", "MODIFY c varchar(20) CHARACTER SET latin1", "'?c'?"},
	"text that is no number":      {"CREATE TABLE t (id int NOT NULL PRIMARY KEY, c varchar(20))", "INSERT INTO t VALUES (77, 'x1')", "MODIFY c int", "'?c'?"},
	"a CHECK is broken":           {"CREATE TABLE t (id int NOT NULL PRIMARY KEY, c int)", "INSERT INTO t VALUES (77, -1)", "ADD CONSTRAINT positive CHECK (c > 0)", "positive"},
	"no partition for it":         {"CREATE TABLE t (id int NOT NULL PRIMARY KEY, c int)", "INSERT INTO t VALUES (77, -1)", "PARTITION BY RANGE (id) (PARTITION p VALUES LESS THAN (70))", "partition"},
	"a generated column refuses":  {"CREATE TABLE t (id int NOT NULL PRIMARY KEY, c int)", "INSERT INTO t VALUES (77, 200)", "ADD g tinyint AS (c) STORED", "'?g'?"},
	"unique key, NULL not at all": {"CREATE TABLE t (id int NOT NULL PRIMARY KEY, c int)", "INSERT INTO t VALUES (77, NULL)", "MODIFY c int NOT NULL, ADD UNIQUE KEY (c)", "'?c'?"},
}

func TestARowThatDoesNotFitEndsTheMigrationNamingKeyAndColumn(t *testing.T) {
	testserver.Both(t, func(t *testing.T, server *testserver.Server) {
		for name, change := range lossyChanges {
			s := scenario{create: []string{change.create}, alter: change.alter}
			requireRefused := func(t *testing.T, r *running, err error) {
				t.Helper()
				require.Error(t, err)
				assert.Contains(t, err.Error(), "77", "names the key")
				assert.Regexp(t, change.says, err.Error())
				assert.Equal(t, []string{"_t_gho", "_t_ghc", "t"}, ordered(tablesOf(t, r.db, r.schema)), "nothing was swapped")
			}
			t.Run(name+", present before", func(t *testing.T) {
				t.Parallel()
				s := s
				s.create = append(s.create, change.row)
				r := s.begin(t, server)
				r.context.SetThrottleCommandedByUser(false)
				requireRefused(t, r, r.ended())
			})
			t.Run(name+", inserted later", func(t *testing.T) {
				t.Parallel()
				r := s.begin(t, server)
				r.copyRows()
				r.exec(change.row)
				requireRefused(t, r, r.ended())
			})
		}
	})
}

// ordered puts the ghost table first: the sort of names differs otherwise only in ways that do not matter here.
func ordered(names []string) []string {
	if len(names) > 1 && names[0] == "_t_ghc" {
		names[0], names[1] = names[1], names[0]
	}
	return names
}

// An ENUM's value 0, which only a server outside strict mode makes, is none that a strict session can write everywhere. It
// must not open the door for others that the server would bend.
func TestARowWithAnErrorValueIsAppliedAndNoneThatIsBentBesides(t *testing.T) {
	lenient := "SET SESSION sql_mode = ''"
	testserver.Both(t, func(t *testing.T, server *testserver.Server) {
		s := scenario{
			create: []string{"CREATE TABLE t (id int PRIMARY KEY, e enum('a','b') NOT NULL, c int, d decimal(10,5))", "INSERT INTO t VALUES (1, 'a', 1, 1)"},
			alter:  "MODIFY c tinyint, MODIFY e enum('z','a') NOT NULL, MODIFY d decimal(10,1)",
		}
		for name, refused := range map[string]string{
			"alone":             "INSERT INTO t VALUES (77, 'zz', 1000, 1)",
			"beside a good one": "INSERT INTO t VALUES (3, 'zz', 1, 1), (77, 'a', 1000, 1), (4, 'zz', 3, 1)",
			"a label that goes": "INSERT INTO t VALUES (3, 'zz', 1, 1), (77, 'b', 1, 1)",
		} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				r := s.begin(t, server)
				r.copyRows()
				r.exec(lenient, refused)
				err := r.ended()
				require.Error(t, err)
				assert.Contains(t, err.Error(), "77", "names the key")
			})
		}
		t.Run("good ones", func(t *testing.T) {
			t.Parallel()
			r := s.begin(t, server)
			r.copyRows()
			r.exec(lenient, "INSERT INTO t VALUES (2, 'zz', 2, 1.23456), (3, 'a', 3, 1.23456), (4, 'zz', 4, 1)", "UPDATE t SET e = '' WHERE id = 1")
			require.NoError(t, r.end())
			assert.Equal(t, []string{"1,0,1,1.0", "2,0,2,1.2", "3,2,3,1.2", "4,0,4,1.0"}, rowsOf(t, r.db, "SELECT id, e + 0, c, d FROM t ORDER BY id"))
		})
	})
}
