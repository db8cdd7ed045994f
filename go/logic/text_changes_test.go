package logic

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/github/gh-ost/go/internal/testserver"
)

func TestTextThatMayReachTheOriginalWithoutNamingItEndsTheMigration(t *testing.T) {
	const function = "CREATE FUNCTION change_t(a int) RETURNS int DETERMINISTIC MODIFIES SQL DATA BEGIN UPDATE t SET n = n + a; RETURN a; END"
	testserver.Both(t, func(t *testing.T, server *testserver.Server) {
		for name, c := range map[string]struct {
			make   []string
			change string
			says   string // "": it is of no concern
		}{
			"a trigger that names it late": {[]string{"CREATE TRIGGER other.tr BEFORE INSERT ON other.x FOR EACH ROW BEGIN SET @a = '" + strings.Repeat("long ", 500) + "'; UPDATE original.t SET n = n + 1; END"},
				"INSERT INTO other.x VALUES (1)", "which has triggers"},
			"a trigger that changes a table with another": {[]string{"CREATE TABLE other.y (id int)", "CREATE TRIGGER other.tr BEFORE INSERT ON other.x FOR EACH ROW INSERT INTO y VALUES (1)",
				"CREATE TRIGGER other.tr2 BEFORE INSERT ON other.y FOR EACH ROW UPDATE original.t SET n = n + 1"}, "INSERT INTO other.x VALUES (1)", "which has triggers"},
			"a trigger that does not":                {[]string{"CREATE TRIGGER other.tr BEFORE INSERT ON other.x FOR EACH ROW SET @a = 1"}, "INSERT INTO other.x VALUES (1)", ""},
			"a view that names it":                   {[]string{"CREATE VIEW other.v AS SELECT * FROM original.t"}, "UPDATE other.v SET n = 7", "on the view"},
			"a view whose definition is not shown":   {[]string{"CREATE VIEW other.v AS SELECT * FROM other.x"}, "INSERT INTO other.v VALUES (1)", "on the view"},
			"a view of its own schema":               {[]string{"CREATE VIEW v AS SELECT id, n FROM t"}, "UPDATE v SET n = n + 1", "on the view"},
			"a trigger of its own schema":            {[]string{"CREATE TABLE x (id int)", "CREATE TRIGGER tr BEFORE INSERT ON x FOR EACH ROW UPDATE t SET n = n + NEW.id"}, "INSERT INTO x VALUES (1), (2)", "which has triggers"},
			"a function that is selected":            {[]string{function}, "SELECT change_t(5)", "a function, logged as text, with the stored function"},
			"a function in an insert":                {[]string{function}, "INSERT INTO other.x VALUES (CHANGE_T(5))", "with the stored function"},
			"a table beside one with other capitals": {[]string{"CREATE TABLE other.X (id int)", "CREATE TRIGGER other.tr BEFORE INSERT ON other.X FOR EACH ROW UPDATE original.t SET n = 1"}, "INSERT INTO other.x VALUES (1)", ""},
		} {
			t.Run(name, func(t *testing.T) {
				r := scenario{create: []string{"CREATE TABLE t (id int NOT NULL PRIMARY KEY, n int)", "INSERT INTO t VALUES (1, 1)"}, alter: "ADD COLUMN extra int"}.begin(t, server)
				other := r.schema + "_other"
				names := strings.NewReplacer("other.", other+".", "original.", r.schema+".")
				r.exec("CREATE SCHEMA "+other, fmt.Sprintf("CREATE TABLE %s.x (id int)", other))
				defer server.Exec(t, "DROP SCHEMA "+other)
				for _, statement := range c.make {
					r.exec(names.Replace(statement))
				}
				r.copyRows()
				r.exec("SET binlog_format = 'STATEMENT'", names.Replace(c.change))
				if c.says == "" {
					assert.NoError(t, r.end())
					return
				}
				assert.ErrorContains(t, r.ended(), c.says)
			})
		}
	})
}
