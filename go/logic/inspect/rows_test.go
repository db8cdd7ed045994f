package inspect

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/github/gh-ost/go/sql"
)

func TestRowsAreEstimatedWhateverTheFormatOfExplainIs(t *testing.T) {
	onBoth(t, func(t *testing.T, at place) {
		if !at.isMariaDB() {
			at.setGlobal("explain_format", "TREE")
		}
		for _, engine := range []string{"InnoDB", "MyISAM"} {
			table := "of_" + engine
			at.exec("CREATE TABLE %s (id int PRIMARY KEY AUTO_INCREMENT, x int) ENGINE=%s", table, engine)
			estimate, err := EstimateRows(t.Context(), at.db, at.dialect, at.table(table))
			require.NoError(t, err)
			assert.LessOrEqual(t, estimate, int64(1), "an empty table has next to no rows")

			at.exec("INSERT INTO %s (x) VALUES (1), (2), (3), (4)", table)
			for range 4 {
				at.exec("INSERT INTO %[1]s (x) SELECT a.x FROM %[1]s a JOIN %[1]s b LIMIT 2000", table)
			}
			at.exec("ANALYZE TABLE %s", table)
			estimate, err = EstimateRows(t.Context(), at.db, at.dialect, at.table(table))
			require.NoError(t, err)
			assert.Greater(t, estimate, int64(1000))
			assert.Less(t, estimate, int64(10000))
		}
		_, err := EstimateRows(t.Context(), at.db, at.dialect, at.table("missing"))
		assert.ErrorContains(t, err, "EXPLAIN")
	})
}

func TestNullInAKeyIsFoundInAnyOfItsColumns(t *testing.T) {
	onBoth(t, func(t *testing.T, at place) {
		at.exec("CREATE TABLE t (a int NOT NULL, b int, `odd ``column` int, UNIQUE KEY k (a, b, `odd ``column`))")
		key := at.read("t").UniqueKeys[0]
		has := func() bool {
			null, err := HasNullKey(t.Context(), at.db, at.table("t"), key)
			require.NoError(t, err)
			return null
		}
		assert.False(t, has(), "no rows")
		at.exec("INSERT INTO t VALUES (1, 1, 1)")
		assert.False(t, has())
		at.exec("INSERT INTO t VALUES (2, 2, NULL)")
		assert.True(t, has())
		at.exec("UPDATE t SET b = NULL, `odd ``column` = 1 WHERE a = 2")
		assert.True(t, has())

		_, err := HasNullKey(t.Context(), at.db, sql.TableName{Schema: at.schema, Name: "missing"}, key)
		assert.ErrorContains(t, err, "looking for NULL in column `b`")
	})
}
