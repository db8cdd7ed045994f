package inspect

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/github/gh-ost/go/mysql"
	"github.com/github/gh-ost/go/sql"
)

func TestForeignKeysAreRefused(t *testing.T) {
	onBoth(t, func(t *testing.T, at place) {
		at.exec("CREATE TABLE parent (id int PRIMARY KEY, x int, y int, UNIQUE KEY (x, y))")
		at.exec("CREATE TABLE `odd 'child` (id int PRIMARY KEY, p int, x int, y int, CONSTRAINT one FOREIGN KEY (p) REFERENCES parent (id), CONSTRAINT two FOREIGN KEY (x, y) REFERENCES parent (x, y))")
		at.exec("CREATE TABLE self (id int PRIMARY KEY, up int, FOREIGN KEY (up) REFERENCES self (id))")
		at.exec("CREATE TABLE free (id int PRIMARY KEY, parent int)")
		check := func(table string, discard bool) error {
			return CheckForeignKeys(t.Context(), at.db, at.table(table), discard)
		}

		err := check("parent", true)
		assert.ErrorContains(t, err, "found 2 parent-side foreign keys")
		assert.ErrorContains(t, err, at.table("odd 'child").String()+".`one`")
		err = check("odd 'child", false)
		assert.ErrorContains(t, err, "found 2 child-side foreign keys")
		assert.ErrorContains(t, err, "--discard-foreign-keys")
		assert.NoError(t, check("odd 'child", true))
		assert.ErrorContains(t, check("self", true), "found 1 parent-side foreign keys")
		assert.NoError(t, check("free", false))
	})
}

func TestForeignKeysOfSchemasThatTheAccountMayNotSeeAreFoundWithInnoDB(t *testing.T) {
	onBoth(t, func(t *testing.T, at place) {
		const parent = "odd-p $ü"
		at.exec("CREATE TABLE %s (id int PRIMARY KEY)", sql.EscapeName(parent))
		other := at.server.Schema(t)
		at.exec("CREATE TABLE %s.child (id int PRIMARY KEY, CONSTRAINT hidden FOREIGN KEY (id) REFERENCES %s (id))", other, at.table(parent))
		defer at.exec("DROP TABLE %s.child", other)
		const rights = "ALTER, CREATE, DELETE, DROP, INDEX, INSERT, LOCK TABLES, SELECT, TRIGGER, UPDATE"
		at.exec("CREATE USER stranger IDENTIFIED BY 'Secret-1'")
		defer at.exec("DROP USER stranger")
		at.exec("GRANT %s ON %s.* TO stranger", rights, at.schema)
		config := mysql.NewConnectionConfig()
		config.Key = mysql.InstanceKey{Hostname: at.server.Host, Port: at.server.Port}
		config.User, config.Password = "stranger", "Secret-1"
		check := func() error {
			db, err := config.Open(at.schema)
			require.NoError(t, err)
			defer db.Close()
			return CheckForeignKeys(t.Context(), db, at.table(parent), false)
		}

		assert.NoError(t, check(), "without PROCESS it cannot be seen")
		at.exec("GRANT PROCESS ON *.* TO stranger")
		err := check()
		assert.ErrorContains(t, err, "found 1 parent-side foreign keys")
		assert.ErrorContains(t, err, "`"+other+"`.`child`.`hidden`")
	})
}

func TestForeignKeysAndTriggersOfATableWhoseNameDiffersInCaseDoNotCount(t *testing.T) {
	onBoth(t, func(t *testing.T, at place) {
		at.exec("CREATE TABLE t (id int PRIMARY KEY)")
		at.exec("CREATE TABLE T (id int PRIMARY KEY)")
		at.exec("CREATE TABLE child (id int PRIMARY KEY, FOREIGN KEY (id) REFERENCES T (id))")
		at.exec("CREATE TRIGGER x AFTER INSERT ON T FOR EACH ROW SET @x = 1")
		assert.NoError(t, CheckForeignKeys(t.Context(), at.db, at.table("t"), false))
		assert.NoError(t, CheckTriggers(t.Context(), at.db, at.table("t")))
		assert.Error(t, CheckForeignKeys(t.Context(), at.db, at.table("T"), false))
		assert.Error(t, CheckTriggers(t.Context(), at.db, at.table("T")))
	})
}

func TestTriggersAreRefused(t *testing.T) {
	onBoth(t, func(t *testing.T, at place) {
		at.exec("CREATE TABLE t (id int PRIMARY KEY)")
		at.exec("CREATE TABLE u (id int PRIMARY KEY)")
		require.NoError(t, CheckTriggers(t.Context(), at.db, at.table("t")))
		for _, name := range []string{"a", "b", "c", "d", "e", "odd `one"} {
			at.exec("CREATE TRIGGER %s AFTER INSERT ON t FOR EACH ROW SET @x = 1", sql.EscapeName(name))
		}
		err := CheckTriggers(t.Context(), at.db, at.table("t"))
		assert.ErrorContains(t, err, "found triggers on "+at.table("t").String())
		assert.ErrorContains(t, err, at.table("t").String()+".`a`")
		assert.ErrorContains(t, err, "and 1 more")
		assert.NoError(t, CheckTriggers(t.Context(), at.db, at.table("u")))
	})
}
