package logic

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/github/gh-ost/go/base"
	"github.com/github/gh-ost/go/internal/testserver"
	"github.com/github/gh-ost/go/mysql"
)

func TestOnlyRowsThatAreThereAndWordsOfTheStatementMayBeWarnedOf(t *testing.T) {
	policy := warningPolicy{ghost: "_t_gho", key: "PRIMARY"}
	for _, test := range []struct {
		warning   mysql.Warning
		tolerated bool
	}{
		{mysql.Warning{Level: "Warning", Code: 1062, Message: "Duplicate entry '7' for key 'PRIMARY'"}, true},
		{mysql.Warning{Level: "Warning", Code: 1062, Message: "Duplicate entry '7' for key '_t_gho.PRIMARY'"}, true},
		{mysql.Warning{Level: "Warning", Code: 1062, Message: "Duplicate entry '7' for key '_t_gho.email'"}, false},
		{mysql.Warning{Level: "Warning", Code: 1062, Message: "Duplicate entry 'x for key 'PRIMARY'' for key '_t_gho.email'"}, false},
		{mysql.Warning{Level: "Warning", Code: 1062, Message: "Duplicate entry '7' for key 'other.PRIMARY'"}, false},
		{mysql.Warning{Level: "Warning", Code: 1287, Message: "'utf8mb3' is deprecated and will be removed in a future release"}, true},
		{mysql.Warning{Level: "Warning", Code: 3719, Message: "'utf8' is currently an alias for the character set UTF8MB3"}, true},
		{mysql.Warning{Level: "Warning", Code: 1264, Message: "Out of range value for column 'v' at row 1"}, false},
		{mysql.Warning{Level: "Note", Code: 1265, Message: "Data truncated for column 'v' at row 1"}, false},
	} {
		counting := policy.counting([]mysql.Warning{test.warning})
		assert.Equal(t, test.tolerated, len(counting) == 0, test.warning.String())
	}
}

func panicOnWarnings(c *base.MigrationContext) { c.PanicOnWarnings, c.SkipStrictMode = true, true }

func TestAWarningEndsTheRunWhetherACopiedOrAnAppliedRowRaisesIt(t *testing.T) {
	testserver.Both(t, func(t *testing.T, server *testserver.Server) {
		for name, at := range map[string]string{"copied": "", "applied": "row-copy-complete"} {
			t.Run(name, func(t *testing.T) {
				schema := withRows(t, server, 50)
				hooks := newHookRecorder()
				bad := "UPDATE " + schema + ".t SET v = 1000 WHERE id = 17"
				if at == "" {
					server.Exec(t, bad)
				}
				server.Exec(t, "SET GLOBAL sql_mode = ''")
				defer server.Exec(t, "SET GLOBAL sql_mode = DEFAULT")
				hooks.at[at] = func() error {
					server.Exec(t, bad)
					time.Sleep(time.Second) // the event comes meanwhile
					return nil
				}
				m := newMigration(t, server, schema, "t", "MODIFY v tinyint NOT NULL", panicOnWarnings, func(c *base.MigrationContext) { c.Hooks = hooks })

				err := requireEnd(t, m.start(), time.Minute)

				require.ErrorContains(t, err, "Out of range value for column 'v'")
				var warned *mysql.WarningsError
				require.ErrorAs(t, err, &warned)
				if at != "" {
					assert.ErrorContains(t, err, "(17)", "the row's key")
				}
				assert.False(t, m.log.contains("attempt 2"), "it is not tried again")
			})
		}
	})
}

func TestCharacterSetsThatAServerWillDropOneDayAreNoReasonToEnd(t *testing.T) {
	testserver.Both(t, func(t *testing.T, server *testserver.Server) {
		schema := server.Schema(t)
		server.Exec(t, "CREATE TABLE "+schema+`.t (id int PRIMARY KEY, a varchar(20) CHARACTER SET utf8mb3, b varchar(20) CHARACTER SET ucs2,
			c varchar(20) CHARACTER SET latin1, d varchar(20) CHARACTER SET utf16, e text CHARACTER SET utf8mb4)`)
		insert := func(from int) {
			for id := from; id < from+300; id++ {
				server.Exec(t, fmt.Sprintf("INSERT INTO %s.t VALUES (%d, 'ü€', 'ü€', 'ü', 'ü€', 'ü€')", schema, id))
			}
		}
		insert(0)
		hooks := newHookRecorder()
		hooks.at["before-cut-over"] = func() error { insert(1000); return nil }
		m := newMigration(t, server, schema, "t", "ADD COLUMN extra int", func(c *base.MigrationContext) {
			c.PanicOnWarnings, c.Hooks = true, hooks
		})

		require.NoError(t, requireEnd(t, m.start(), time.Minute))

		requireSameRows(t, server.DB(t), schema, "_t_del", "t")
	})
}
