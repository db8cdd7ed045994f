package logic

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/github/gh-ost/go/internal/testserver"
)

// Whoever takes the ghost table for a leftover would have an empty table swapped in.
func TestAGhostThatSomebodyEmptiesOrTakesAwayEndsTheMigration(t *testing.T) {
	testserver.Both(t, func(t *testing.T, server *testserver.Server) {
		for name, test := range map[string]struct {
			statements []string
			says       string
		}{
			"emptied":                   {[]string{"TRUNCATE TABLE _t_gho"}, "somebody ran TRUNCATE TABLE on it"},
			"dropped":                   {[]string{"DROP TABLE _t_gho"}, "somebody ran DROP TABLE on it"},
			"taken away and put back":   {[]string{"RENAME TABLE _t_gho TO x", "DELETE FROM x", "RENAME TABLE x TO _t_gho"}, "somebody ran RENAME TABLE on it"},
			"robbed of a column":        {[]string{"ALTER TABLE _t_gho DROP COLUMN n"}, "somebody ran ALTER TABLE on it"},
			"given a unique key":        {[]string{"CREATE UNIQUE INDEX u ON _t_gho (n)"}, "somebody ran CREATE INDEX on it"},
			"robbed of an index":        {[]string{"ALTER TABLE _t_gho ADD KEY i (n)", "DROP INDEX i ON _t_gho"}, "somebody ran DROP INDEX on it"},
			"deleted from in text form": {[]string{"SET binlog_format = 'STATEMENT'", "DELETE FROM _t_gho WHERE id < 9"}, "somebody ran DELETE on it"},
		} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				r := scenario{create: []string{"CREATE TABLE t (id int NOT NULL PRIMARY KEY, n int)", "INSERT INTO t " + sequence + "SELECT n, n FROM s"},
					alter: "ADD COLUMN extra int"}.begin(t, server)
				r.copyRows()
				r.exec(test.statements...)

				started := time.Now()
				err := r.ended()

				var changed *ChangedGhostError
				require.ErrorAs(t, err, &changed)
				assert.Contains(t, err.Error(), test.says)
				assert.Contains(t, err.Error(), "_t_gho", "names the table")
				assert.Less(t, time.Since(started), 5*time.Second)
				assert.NotContains(t, tablesOf(t, r.db, r.schema), "_t_del", "nothing was swapped")
			})
		}
	})
}

// Hooks add foreign keys or indexes to the ghost just before the swap.
func TestAGhostMayBeAlteredAndIsCompleteAllTheSame(t *testing.T) {
	testserver.Both(t, func(t *testing.T, server *testserver.Server) {
		scenario{
			create:  []string{"CREATE TABLE t (id int NOT NULL PRIMARY KEY AUTO_INCREMENT, n int)", "INSERT INTO t " + sequence + "SELECT n, n FROM s"},
			alter:   "ADD COLUMN extra int",
			differs: true,
			after: []string{"ALTER TABLE _t_gho COMMENT = 'altered'", "CREATE INDEX i ON _t_gho (n)", "ANALYZE TABLE _t_gho",
				"INSERT INTO t (n) VALUES (1000)", "DELETE FROM t WHERE n = 1000"},
		}.run(t, server)
	})
}
