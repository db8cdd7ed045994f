package sql

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestAChangeLoggedAsTextTellsItsTargetsAndCalls(t *testing.T) {
	in := func(schema string, names ...string) (tables []TableName) {
		for _, name := range names {
			tables = append(tables, TableName{schema, name})
		}
		return tables
	}
	call := func(text string) Call { return Call{TableName{"s", strings.Trim(text, "`")}, text} }
	for statement, want := range map[string]TextChange{
		"INSERT INTO v VALUES (1), (2)":                              {"INSERT", in("s", "v"), nil},
		"INSERT INTO x (a, b) VALUES (f(1), NOW())":                  {"INSERT", in("s", "x"), []Call{call("f")}},
		"INSERT s.x (a, b) SELECT f(a), f(b) FROM y":                 {"INSERT", in("s", "x"), []Call{call("f")}},
		"REPLACE x SELECT other.f(a) FROM y WHERE a IN (1)":          {"REPLACE", in("s", "x"), []Call{{Function: TableName{"other", "f"}}}},
		"UPDATE x SET a = `count` (1) WHERE (b)":                     {"UPDATE", in("s", "x"), []Call{call("`count`")}},
		"UPDATE x JOIN other.v ON (a = b) SET v.a = 1":               {"UPDATE", in("other", "v"), nil},
		"DELETE a, b FROM x AS a, y AS b":                            {"DELETE", in("s", "x", "y"), nil},
		"LOAD DATA INFILE 'f(1)' INTO TABLE x (a, @b) SET c = g(@b)": {"LOAD DATA", in("s", "x"), []Call{call("g")}},
		"SELECT `s`.`f`(1, 2)":                                       {"a function", nil, []Call{{Function: TableName{"s", "f"}}}},
		"DO f()":                                                     {"a function", nil, []Call{call("f")}},
		"WITH c (a) AS (SELECT 1) SELECT f(1) FROM c":                {"a function", nil, []Call{call("f")}},
		"INSERT INTO x VALUES (f(1), 'no end":                        {"INSERT", in("s", "x"), []Call{call("f")}},
	} {
		t.Run(statement, func(t *testing.T) {
			change, ok := ReadTextChange(statement, "s")
			assert.True(t, ok)
			assert.Equal(t, want, change)
		})
	}
	for _, statement := range []string{"CREATE TABLE x (a int)", "DROP TABLE x", "ALTER TABLE x ADD COLUMN c int DEFAULT (f())", "CREATE FUNCTION f() RETURNS int RETURN g()", "BEGIN", "COMMIT", "FLUSH TABLES", "GRANT SELECT (a) ON x TO u", ""} {
		_, ok := ReadTextChange(statement, "s")
		assert.False(t, ok, statement)
	}
}
