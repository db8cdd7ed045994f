package inspect

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/github/gh-ost/go/mysql"
	"github.com/github/gh-ost/go/sql"
)

func keyNames(keys []*sql.UniqueKey) []string {
	names := make([]string, len(keys))
	for i, key := range keys {
		names[i] = key.Name
	}
	return names
}

func TestUniqueKeysComeInOrderOfPreference(t *testing.T) {
	onBoth(t, func(t *testing.T, at place) {
		at.exec(`CREATE TABLE t (
			id varchar(20) CHARACTER SET utf8mb4 NOT NULL, name varchar(20) CHARACTER SET utf8mb4 NOT NULL, raw varbinary(20) NOT NULL,
			tiny tinyint NOT NULL, small smallint NOT NULL, medium mediumint NOT NULL, normal int NOT NULL, big bigint NOT NULL, other int NOT NULL, maybe tinyint,
			UNIQUE KEY a_nullable (tiny, maybe), UNIQUE KEY b_text (name), UNIQUE KEY c_raw (raw), UNIQUE KEY d_big (big), UNIQUE KEY e_int (normal), UNIQUE KEY f_medium (medium),
			UNIQUE KEY g_small (small), UNIQUE KEY h_tiny (tiny), UNIQUE KEY i_two_ints (normal, other), UNIQUE KEY j_int_again (other), KEY plain (big), PRIMARY KEY (id))`)

		table := at.read("t")

		assert.Equal(t, []string{"PRIMARY", "h_tiny", "g_small", "e_int", "j_int_again", "i_two_ints", "d_big", "c_raw", "f_medium", "b_text", "a_nullable"}, keyNames(table.UniqueKeys))
		two := table.UniqueKeys[5]
		assert.Equal(t, []string{"normal", "other"}, two.Columns.Names())
		column, _ := two.Columns.Lookup("other")
		assert.Equal(t, 8, column.Ordinal, "a key's column keeps its place in the table")
		assert.False(t, two.HasNullable)
		assert.True(t, table.UniqueKeys[10].HasNullable)
		assert.NoError(t, table.RequireUniqueKey())
	})
}

func TestTableWithoutUniqueKeyIsRefused(t *testing.T) {
	onBoth(t, func(t *testing.T, at place) {
		at.exec("CREATE TABLE t (id int, KEY (id))")
		table := at.read("t")
		assert.Empty(t, table.UniqueKeys)
		assert.ErrorContains(t, table.RequireUniqueKey(), "no PRIMARY nor UNIQUE key found in table "+at.table("t").String())
	})
}

func TestKeysThatRowsCannotBeWalkedByAreNoCandidates(t *testing.T) {
	onBoth(t, func(t *testing.T, at place) {
		at.exec("CREATE TABLE t (a int NOT NULL, b varchar(40) NOT NULL, c text NOT NULL, d int, UNIQUE KEY by_prefix (b(10)), UNIQUE KEY by_long_prefix (a, c(20)))")
		unusable := map[string]string{"by_prefix": "first 10 of column `b`", "by_long_prefix": "first 20 of column `c`"}
		if at.isMariaDB() {
			at.exec("ALTER TABLE t ADD UNIQUE KEY by_hash (c)")
			at.exec("ALTER TABLE t ADD UNIQUE KEY ignored_one (d) IGNORED")
			unusable["by_hash"], unusable["ignored_one"] = "hash", "NOT IGNORED"
		} else {
			at.exec("ALTER TABLE t ADD UNIQUE KEY functional (a, (a + 1))")
			at.exec("ALTER TABLE t ADD UNIQUE KEY invisible (d) INVISIBLE")
			unusable["functional"], unusable["invisible"] = "expression (`a` + 1)", "VISIBLE"
		}

		table := at.read("t")

		assert.Empty(t, table.UniqueKeys)
		assert.Len(t, table.indexes, len(unusable))
		err := table.RequireUniqueKey()
		assert.ErrorContains(t, err, "no PRIMARY nor UNIQUE key found")
		for name, reason := range unusable {
			assert.ErrorContains(t, err, "key `"+name+"`")
			assert.ErrorContains(t, err, reason)
		}
		at.exec("ALTER TABLE t ADD UNIQUE KEY whole (b, a)")
		assert.Equal(t, []string{"whole"}, keyNames(at.read("t").UniqueKeys))
	})
}

func TestPrefixOfTheWholeColumnIsNone(t *testing.T) {
	onBoth(t, func(t *testing.T, at place) {
		at.exec("CREATE TABLE t (a varchar(40) NOT NULL, UNIQUE KEY (a(40)))")
		assert.Len(t, at.read("t").UniqueKeys, 1)
	})
}

func TestKeyOfMixedDirectionsComesLate(t *testing.T) {
	onBoth(t, func(t *testing.T, at place) {
		at.exec("CREATE TABLE t (a int NOT NULL, b int NOT NULL, c varchar(9) NOT NULL, UNIQUE KEY mixed (a DESC, b), UNIQUE KEY down (c DESC))")
		assert.Equal(t, []string{"down", "mixed"}, keyNames(at.read("t").UniqueKeys))
	})
}

func TestAutoIncrementAndGeneratedKeysAreRead(t *testing.T) {
	onBoth(t, func(t *testing.T, at place) {
		at.exec("CREATE TABLE t (a int NOT NULL AUTO_INCREMENT, x int, b int AS (x + 1) STORED, c int AS (x + 2) VIRTUAL, PRIMARY KEY (a), UNIQUE KEY kept (b), UNIQUE KEY virt (c))")
		keys := at.read("t").UniqueKeys
		require.Equal(t, []string{"PRIMARY", "kept", "virt"}, keyNames(keys))
		assert.True(t, keys[0].IsAutoIncrement)
		assert.True(t, keys[1].Columns.Columns()[0].IsGenerated())
		assert.False(t, keys[1].IsAutoIncrement)
	})
}

// Rows in the binary log have the column of a primary key that MySQL made, even where information_schema hides it.
func TestPrimaryKeyMadeByTheServerIsSeenWhereItIsHidden(t *testing.T) {
	onBoth(t, func(t *testing.T, at place) {
		if at.isMariaDB() {
			t.Skip("MariaDB makes no keys")
		}
		at.exec("SET sql_generate_invisible_primary_key = ON; CREATE TABLE t (a int, b int)")
		config := mysql.NewConnectionConfig()
		config.Key = mysql.InstanceKey{Hostname: at.server.Host, Port: at.server.Port}
		config.User, config.Password = at.server.User, at.server.Password
		db, err := config.Open(at.schema, "SET SESSION show_gipk_in_create_table_and_information_schema = OFF")
		require.NoError(t, err)
		defer db.Close()
		db.SetMaxOpenConns(1)

		table, err := ReadTable(t.Context(), db, at.dialect, at.table("t"))

		require.NoError(t, err)
		assert.Equal(t, "my_row_id,a,b", table.Columns.String())
		assert.Equal(t, []string{"PRIMARY"}, keyNames(table.UniqueKeys))
		var setting string
		require.NoError(t, db.QueryRowContext(t.Context(), "SELECT @@SESSION.show_gipk_in_create_table_and_information_schema").Scan(&setting))
		assert.Equal(t, "0", setting, "the session is as it was")
	})
}

func TestKeysOfPartitionedTablesAreRead(t *testing.T) {
	onBoth(t, func(t *testing.T, at place) {
		at.exec("CREATE TABLE t (a int NOT NULL, b int NOT NULL, PRIMARY KEY (a, b)) PARTITION BY HASH (a) PARTITIONS 3")
		keys := at.read("t").UniqueKeys
		require.Len(t, keys, 1)
		assert.Equal(t, "a,b", keys[0].Columns.String())
		assert.Equal(t, 1, strings.Count(keys[0].Columns.String(), "a"))
	})
}
