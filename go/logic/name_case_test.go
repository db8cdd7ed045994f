package logic

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/github/gh-ost/go/base"
	"github.com/github/gh-ost/go/internal/testserver"
)

func TestTablesWhoseNamesDifferInCaseAreTwo(t *testing.T) {
	for name, options := range map[string]func(c *base.MigrationContext){"at once": func(*base.MigrationContext) {}, "in two steps": func(c *base.MigrationContext) { c.CutOverType = base.CutOverTwoStep }} {
		t.Run(name, func(t *testing.T) {
			testserver.Both(t, func(t *testing.T, server *testserver.Server) {
				r := scenario{
					create: []string{"CREATE TABLE %t (id int PRIMARY KEY, v int)", "INSERT INTO %t VALUES (1, 1), (2, 2)",
						"CREATE TABLE T (id int PRIMARY KEY, v int, w int)", "CREATE TABLE _T_gho (id int PRIMARY KEY)", "CREATE TABLE _T_del (id int)", "CREATE TABLE _T_ghc (id int)",
						"CREATE TABLE child (id int PRIMARY KEY, FOREIGN KEY (id) REFERENCES T (id))", "CREATE TRIGGER on_T BEFORE INSERT ON T FOR EACH ROW SET NEW.w = 7"},
					alter:   "ADD COLUMN w int",
					before:  []string{"INSERT INTO T (id, v) VALUES (1, 100), (3, 100)", "INSERT INTO %t VALUES (4, 4)"},
					options: []func(c *base.MigrationContext){options},
				}.begin(t, server)
				schema := strings.ToUpper(r.schema)
				r.exec("CREATE SCHEMA "+schema, "CREATE TABLE "+schema+".t (id int PRIMARY KEY, v int)")
				defer server.Exec(t, "DROP SCHEMA "+schema)
				r.copyRows()
				r.exec("INSERT INTO "+schema+".t VALUES (1, 50), (9, 9)", "DELETE FROM "+schema+".t WHERE id = 1", "TRUNCATE "+schema+".t")
				r.exec("INSERT INTO T (id, v) VALUES (6, 200)")
				r.exec("UPDATE T SET v = 0", "DELETE FROM T WHERE id = 1", "INSERT INTO %t VALUES (5, 5)", "DROP TABLE child", "ALTER TABLE T ADD COLUMN x int",
					"INSERT INTO T (id) VALUES (4)", "TRUNCATE TABLE T", "RENAME TABLE T TO U", "CREATE TABLE T LIKE U", "DROP TABLE T")
				oracle := r.oracle()
				require.NoError(t, r.end())
				assert.Equal(t, oracle.rows, readRows(t, r.db, r.table))
				assert.Equal(t, oracle.definition, definition(t, r.db, r.table))
				assert.Subset(t, tablesOf(t, r.db, r.schema), []string{"_T_gho", "_T_del", "_T_ghc", "_t_del"})
			})
		})
	}
}
